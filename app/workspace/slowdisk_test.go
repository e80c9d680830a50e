//go:build unix

package workspace_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"conch/app/overlay"
	"conch/app/store"
	"conch/app/workspace"
	"conch/repo/write"
)

// TestSlowDisk: while the disk does not answer, everything that is already known is reported, and what
// is typed is kept.
func TestSlowDisk(t *testing.T) {
	root := repository(t, map[string]string{"digits": leaf})
	labels := filepath.Join(root, "digits", "labels.txt")
	save(t, labels, "zero\n")
	history, err := store.Open(t.Context(), store.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = history.Close() })
	reading, answer := make(chan struct{}), make(chan struct{})
	w := workspace.New(workspace.Options{Store: history, Recovery: recoveryIn(t, t.TempDir()), StartEngine: noEngine, ReadFile: func(path string) ([]byte, write.Version, error) {
		reading <- struct{}{}
		<-answer
		return write.Read(path)
	}})
	t.Cleanup(func() { _ = w.Close() })
	if err := w.Open(t.Context(), []string{root}); err != nil {
		t.Fatal(err)
	}
	save(t, labels, "zero\none\n")
	touched := make(chan struct{})
	go func() {
		w.Touch(labels)
		close(touched)
	}()
	<-reading // the disk is asked for the content of the file, and does not answer
	told := make(chan struct{})
	go func() {
		defer close(told)
		text := leaf + "# typed while the disk is slow\n"
		edit := overlay.Edit{Text: text, Base: overlay.Base{Version: "v", Text: leaf}}
		if d, err := w.Edit(workspace.File{Model: "digits", Path: "config.pbtxt"}, edit); err != nil || d.Text != text {
			t.Errorf("typed: %v, %v", d, err)
		}
		_, _ = w.Analysis()
		_, _ = w.Model("digits")
		_ = w.Repository()
		w.Problems("")
		sub := w.Subscribe()
		defer sub.Close()
		if _, err := sub.Next(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	select {
	case <-told:
	case <-time.After(time.Minute):
		t.Error("nothing is answered while the disk is slow")
	}
	close(answer)
	<-touched
}

// TestEndOnHangingDisk: closing does not wait for a disk that does not answer, and keeps what is
// unsaved.
func TestEndOnHangingDisk(t *testing.T) {
	defer workspace.LeaveFor(100 * time.Millisecond)()
	root := repository(t, map[string]string{"digits": leaf})
	labels := filepath.Join(root, "digits", "labels.txt")
	save(t, labels, "zero\n")
	history, err := store.Open(t.Context(), store.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = history.Close() }()
	reading, answer := make(chan struct{}), make(chan struct{})
	released := make(chan struct{})
	w := workspace.New(workspace.Options{
		Store: history, Recovery: recoveryIn(t, t.TempDir()), StartEngine: noEngine,
		Claim: func([]string) (func(), error) { return func() { close(released) }, nil },
		ReadFile: func(path string) ([]byte, write.Version, error) {
			close(reading)
			<-answer
			return write.Read(path)
		},
	})
	defer close(answer)
	if err := w.Open(t.Context(), []string{root}); err != nil {
		t.Fatal(err)
	}
	save(t, labels, "zero\none\n")
	w.Touch(labels)
	<-reading // followRepository waits for the disk
	text := leaf + "# typed while the disk hangs\n"
	edit := overlay.Edit{Text: text, Base: overlay.Base{Version: "v", Text: leaf}}
	if _, err := w.Edit(workspace.File{Model: "digits", Path: "config.pbtxt"}, edit); err != nil {
		t.Fatal(err)
	}
	closed := make(chan error, 1)
	go func() { closed <- w.Close() }()
	select {
	case err := <-closed:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("the end waits for the disk")
	}
	<-released
	if kept, err := history.Drafts(t.Context(), overlay.RealRoot(root)); err != nil || len(kept) != 1 || kept[0].Text != text {
		t.Errorf("kept: %v, %v", kept, err)
	}
}
