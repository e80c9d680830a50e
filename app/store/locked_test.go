package store_test

import (
	"database/sql"
	"errors"
	"maps"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"conch/app/store"
)

// kept makes a history with a setting in it.
func kept(t *testing.T, dir, key string) (path string) {
	t.Helper()
	s, err := store.Open(t.Context(), store.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	set(t, s, key)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return s.Path()
}

func set(t *testing.T, s *store.Store, key string) {
	t.Helper()
	if err := s.SetSettings(t.Context(), map[string]string{key: "1"}); err != nil {
		t.Fatal(err)
	}
}

func settings(t *testing.T, s *store.Store) map[string]string {
	t.Helper()
	got, err := s.Settings(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// A newer Conch may be using its file, so it stays where it is. This version has a file of its own, at
// the next start too.
func TestHistoryOfANewerVersionStays(t *testing.T) {
	dir := t.TempDir()
	path := kept(t, dir, "newer's")
	execute(t, path, `INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, 1)`)
	running, err := sql.Open("sqlite", path) // the newer version
	if err != nil {
		t.Fatal(err)
	}
	defer running.Close()
	for start := range 2 {
		s, err := store.Open(t.Context(), store.Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		if told := s.Trouble(); !strings.Contains(told, path) || !strings.Contains(told, filepath.Base(s.Path())) || !strings.Contains(told, "newer version") {
			t.Errorf("told %q", told)
		}
		if got := settings(t, s); s.Path() == path || got["newer's"] != "" || len(got) != start {
			t.Errorf("start %d: settings of %s are %v", start, s.Path(), got)
		}
		set(t, s, "own")
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := running.ExecContext(t.Context(), `INSERT INTO setting VALUES ('still', '1')`); err != nil {
		t.Errorf("the newer version cannot write any more: %v", err)
	}
	if files, _ := filepath.Glob(path + ".*"); len(files) != 1 || files[0] != path+".lock" {
		t.Errorf("beside it are %v", files)
	}
}

// locking is another program that has a history locked.
func locking(t *testing.T, path string) (*sql.DB, *sql.Tx) {
	t.Helper()
	other, err := sql.Open("sqlite", path+"?_txlock=exclusive")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Close() })
	transaction, err := other.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return other, transaction
}

// A history that another program has locked does not block anything. What is kept meanwhile is in the
// file once it is unlocked, with what was there before.
func TestLockedHistory(t *testing.T) {
	dir := t.TempDir()
	path := kept(t, dir, "before")
	other, transaction := locking(t, path)
	began := time.Now()
	s := open(t, store.Options{Dir: dir})
	set(t, s, "meanwhile")
	s.AddEvent(store.Event{Repository: "/r", Time: time.Now(), Text: "an event"})
	if took := time.Since(began); took > 15*time.Second { // where the lock is waited for, it is ten, and ten more for each write
		t.Errorf("starting took %v", took)
	}
	told := make(chan string, 8)
	s.Follow(func(trouble string) { told <- trouble })
	if text := <-told; !strings.Contains(text, "Another program has the history "+path+" locked") {
		t.Errorf("told %q", text)
	}
	if got := settings(t, s); got["meanwhile"] == "" || got["before"] != "" {
		t.Errorf("meanwhile the settings are %v", got)
	}
	if err := transaction.Rollback(); err != nil {
		t.Fatal(err)
	}
	if text := <-told; !strings.Contains(text, "can be used again") {
		t.Errorf("told %q", text)
	}
	if got := settings(t, s); s.Path() != path || got["before"] == "" || got["meanwhile"] == "" {
		t.Errorf("in the end the settings of %s are %v", s.Path(), got)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	var events int
	if err := other.QueryRowContext(t.Context(), "SELECT count(*) FROM event").Scan(&events); err != nil || events != 1 {
		t.Errorf("%d events in the file, %v", events, err)
	}
}

// What was set before a history was locked is still set, where nothing else was set for it meanwhile.
func TestSettingsOfALockedHistory(t *testing.T) {
	dir := t.TempDir()
	s := open(t, store.Options{Dir: dir})
	visit := func(s *store.Store, model, reload string) {
		t.Helper()
		if err := errors.Join(s.AddVisit(t.Context(), "/r", []string{"/r"}), s.SetReload(t.Context(), "/r", model, reload)); err != nil {
			t.Fatal(err)
		}
	}
	visit(s, "a", "off")
	visit(s, "b", "off")
	if err := errors.Join(s.KeepPlace(t.Context(), "/r", "the page"), s.Close()); err != nil {
		t.Fatal(err)
	}
	_, transaction := locking(t, s.Path())
	s = open(t, store.Options{Dir: dir})
	told := make(chan string, 8)
	s.Follow(func(trouble string) { told <- trouble })
	<-told
	visit(s, "a", "ask")
	if err := transaction.Rollback(); err != nil {
		t.Fatal(err)
	}
	<-told
	reload, err := s.Reload(t.Context(), "/r")
	place, wrong := s.Place(t.Context(), "/r")
	if err != nil || wrong != nil || !maps.Equal(reload, map[string]string{"a": "ask", "b": "off"}) || place != "the page" {
		t.Errorf("reload %v, place %q, %v, %v", reload, place, err, wrong)
	}
}

// TestDraftsOfALockedHistory: while another program has the file locked, no draft is written to it or
// read from it. The drafts in it stay as they were.
func TestDraftsOfALockedHistory(t *testing.T) {
	dir := t.TempDir()
	s, err := store.Open(t.Context(), store.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	stored := store.Draft{Root: "/a", Path: "digits/config.pbtxt", Text: "an hour of typing", BaseText: "old", Version: 9, Changed: time.UnixMilli(1_700_000_000_123)}
	if err := errors.Join(s.SaveDrafts(t.Context(), []store.Draft{stored}, nil), s.Close()); err != nil {
		t.Fatal(err)
	}
	_, transaction := locking(t, s.Path())
	s = open(t, store.Options{Dir: dir})
	typed := stored
	typed.Text, typed.Version = "xy", 99
	if err := s.SaveDrafts(t.Context(), []store.Draft{typed}, nil); !errors.Is(err, store.ErrLocked) {
		t.Errorf("saved: %v", err)
	}
	if _, err := s.Drafts(t.Context(), "/a"); !errors.Is(err, store.ErrLocked) {
		t.Errorf("read: %v", err)
	}
	free := make(chan struct{}, 1)
	s.OnReplace(func() { free <- struct{}{} })
	if err := transaction.Rollback(); err != nil {
		t.Fatal(err)
	}
	<-free
	if list, err := s.Drafts(t.Context(), "/a"); err != nil || len(list) != 1 || list[0].Text != "an hour of typing" {
		t.Errorf("%v, %v", list, err)
	}
}
