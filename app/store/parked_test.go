package store_test

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"conch/app/store"
)

func parkedDraft(root, text string) store.Parked {
	return store.Parked{Over: 3, Draft: store.Draft{
		Root: root, Path: "digits/config.pbtxt", Text: text, BaseVersion: "v", BaseText: "old", Version: 9, Changed: time.UnixMilli(1_700_000_000_123).UTC(),
	}}
}

func onlyFile(t *testing.T, dir, pattern string) string {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(dir, pattern))
	if len(files) != 1 {
		t.Fatalf("%v are there", files)
	}
	return files[0]
}

// TestParkedDrafts: what is parked is there in the next run, for one root, for nobody else, and in a whole file.
func TestParkedDrafts(t *testing.T) {
	dir := t.TempDir()
	s := open(t, store.Options{Dir: dir})
	want := parkedDraft("/a", "mine \"äöü\"\n")
	for _, text := range []string{"m", want.Text} {
		if _, err := s.Park("/a", []store.Parked{parkedDraft("/a", text)}); err != nil {
			t.Fatal(err)
		}
	}
	file := onlyFile(t, dir, "unsaved-*")
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v, %v", info.Mode(), err)
	}
	next := open(t, store.Options{Dir: dir})
	if list, _, err := next.Parked("/a"); err != nil || len(list) != 1 || list[0] != want {
		t.Errorf("%+v, %v", list, err)
	}
	if list, _, err := next.Parked("/b"); err != nil || len(list) != 0 {
		t.Errorf("of another root: %+v, %v", list, err)
	}
	if _, err := next.Park("/a", nil); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "unsaved-*")); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}

// TestParkedDraftsThatCannotBeRead: nothing is written over them.
func TestParkedDraftsThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	s := open(t, store.Options{Dir: dir})
	if _, err := s.Park("/a", []store.Parked{parkedDraft("/a", "mine")}); err != nil {
		t.Fatal(err)
	}
	file := onlyFile(t, dir, "unsaved-*")
	if err := os.WriteFile(file, []byte(`{"Root":"/a","Dra`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Parked("/a"); err == nil || !strings.Contains(err.Error(), filepath.Base(file)+".damaged-") {
		t.Errorf("a damaged file: %v", err)
	}
	onlyFile(t, dir, "unsaved-*.json.damaged-*")
	if _, err := s.Park("/a", []store.Parked{parkedDraft("/a", "next")}); err != nil {
		t.Errorf("after it was moved: %v", err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(file, 0o700); err != nil { // it cannot be read, for root neither
		t.Fatal(err)
	}
	_, _, unread := s.Parked("/a")
	if _, err := s.Park("/a", []store.Parked{parkedDraft("/a", "over it")}); unread == nil || !errors.Is(err, unread) {
		t.Errorf("read %v, written %v", unread, err)
	}
}

// TestDraftsOfAHeldHistory: while another program holds the file no draft goes in or comes out, and those in it are as they were.
func TestDraftsOfAHeldHistory(t *testing.T) {
	dir := t.TempDir()
	s, err := store.Open(t.Context(), store.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	stored := parkedDraft("/a", "an hour of typing").Draft
	if err := errors.Join(s.SaveDrafts(t.Context(), []store.Draft{stored}, nil), s.Close()); err != nil {
		t.Fatal(err)
	}
	other, err := sql.Open("sqlite", s.Path()+"?_txlock=exclusive")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	held, err := other.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	s = open(t, store.Options{Dir: dir})
	typed := stored
	typed.Text, typed.Version = "xy", 99
	if err := s.SaveDrafts(t.Context(), []store.Draft{typed}, nil); !errors.Is(err, store.ErrHeld) {
		t.Errorf("saved: %v", err)
	}
	if _, err := s.Drafts(t.Context(), "/a"); !errors.Is(err, store.ErrHeld) {
		t.Errorf("read: %v", err)
	}
	free := make(chan struct{}, 1)
	s.OnReplace(func() { free <- struct{}{} })
	if err := held.Rollback(); err != nil {
		t.Fatal(err)
	}
	<-free
	if list, err := s.Drafts(t.Context(), "/a"); err != nil || len(list) != 1 || list[0].Text != "an hour of typing" {
		t.Errorf("%v, %v", list, err)
	}
}
