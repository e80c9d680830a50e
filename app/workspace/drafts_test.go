//go:build unix

package workspace_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"conch/app/overlay"
	"conch/app/store"
	"conch/app/workspace"
)

// TestDraftsOutliveDamage: when the file that keeps unsaved texts is found damaged, they are written
// to the new one.
func TestDraftsOutliveDamage(t *testing.T) {
	root, dir := repository(t, map[string]string{"digits": leaf}), t.TempDir()
	history, err := store.Open(t.Context(), store.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	w := workspace.New(workspace.Options{Store: history, Recovery: recoveryIn(t, dir), StartEngine: noEngine})
	defer func() {
		_ = w.Close()
		_ = history.Close()
	}()
	if err := w.Open(t.Context(), []string{root}); err != nil {
		t.Fatal(err)
	}
	file := workspace.File{Model: "digits", Path: "config.pbtxt"}
	edit := overlay.Edit{Text: leaf + "# mine\n", Base: overlay.Base{Version: "v", Text: leaf}}
	if _, err := w.Edit(file, edit); err != nil {
		t.Fatal(err)
	}
	kept := func(what string) {
		t.Helper()
		end := time.Now().Add(10 * time.Second)
		for {
			list, _ := history.Drafts(t.Context(), overlay.RealRoot(root))
			if len(list) == 1 && list[0].Text == edit.Text {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("%s: %v", what, list)
			}
		}
	}
	kept("typed")
	told := make(chan string, 1)
	history.Follow(func(trouble string) {
		select {
		case told <- trouble:
		default: // the first value is enough
		}
	})
	path := filepath.Join(dir, store.FileName)
	for _, suffix := range []string{"-wal", ""} {
		info, err := os.Stat(path + suffix)
		if err != nil {
			continue
		}
		if err := os.WriteFile(path+suffix, []byte(strings.Repeat("damage", int(info.Size())/6+1)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// A connection to the file may have the pages read before in memory. A read at the same time as
	// others gets another connection, and finds the damage.
	for end := time.Now().Add(30 * time.Second); ; {
		var readers sync.WaitGroup
		for range 8 {
			readers.Go(func() {
				_, _ = history.Settings(t.Context())
				_, _ = history.Drafts(t.Context(), overlay.RealRoot(root))
			})
		}
		readers.Wait()
		select {
		case trouble := <-told:
			if !strings.Contains(trouble, "damaged") {
				t.Errorf("told %q", trouble)
			}
			kept("after the damage")
			return
		default:
			if time.Now().After(end) {
				t.Fatal("nothing was told")
			}
		}
	}
}
