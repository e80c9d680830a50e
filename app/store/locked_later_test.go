package store_test

import (
	"database/sql"
	"errors"
	"strings"
	"testing"
	"time"

	"conch/app/store"
)

// lock has another program lock a history that is open, until release is called.
func lock(t *testing.T, path, begin string) (release func()) {
	t.Helper()
	other, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Close() })
	conn, err := other.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.ExecContext(t.Context(), begin); err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		if _, err := conn.ExecContext(t.Context(), "ROLLBACK"); err != nil {
			t.Fatal(err)
		}
	}
}

// eachLock runs a test with both locks that another program can take while the history is open.
func eachLock(t *testing.T, run func(t *testing.T, s *store.Store, release func())) {
	for _, begin := range []string{"BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"} {
		t.Run(begin, func(t *testing.T) {
			s, err := store.Open(t.Context(), store.Options{Dir: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			release := lock(t, s.Path(), begin)
			t.Cleanup(func() { _ = s.Close() }) // runs before the other program is closed
			run(t, s, release)
		})
	}
}

// TestDraftsDoNotWaitForALock: while settings wait for the lock of another program, unsaved texts are
// refused and everything can be read. Afterwards unsaved texts are in the file.
func TestDraftsDoNotWaitForALock(t *testing.T) {
	eachLock(t, func(t *testing.T, s *store.Store, release func()) {
		s.AddRequest(store.Request{Repository: "/a", Model: "digits", Time: time.Now()})
		const settingsToWrite = 3 // one after another they wait for seconds
		written := make(chan error, settingsToWrite)
		for range settingsToWrite {
			go func() { written <- s.SetSettings(t.Context(), map[string]string{"a": "1"}) }()
		}
		typed := []store.Draft{{Root: "/a", Path: "digits/config.pbtxt", Text: "xy", Version: 1, Changed: time.UnixMilli(1_700_000_000_123)}}
		err := s.SaveDrafts(t.Context(), typed, nil)
		if !errors.Is(err, store.ErrLocked) || !strings.Contains(err.Error(), "another program has the history locked") {
			t.Errorf("unsaved texts: %v", err)
		}
		if list, err := s.Requests(t.Context(), "/a", "", 10); err != nil || len(list) != 1 {
			t.Errorf("%d requests, %v", len(list), err)
		} else if _, err := s.Request(t.Context(), list[0].ID); err != nil {
			t.Error(err)
		}
		if list, err := s.Drafts(t.Context(), "/a"); err != nil || len(list) != 0 {
			t.Errorf("the file has the unsaved texts %v, %v", list, err)
		}
		settings(t, s)
		if len(written) == settingsToWrite {
			t.Error("unsaved texts or reads waited for the lock as long as the settings")
		}
		release()
		if err := s.SaveDrafts(t.Context(), typed, nil); err != nil {
			t.Error(err)
		}
		if list, err := s.Drafts(t.Context(), "/a"); err != nil || len(list) != 1 {
			t.Errorf("the file has the unsaved texts %v, %v", list, err)
		}
		for range settingsToWrite {
			<-written
		}
	})
}

// TestWriteWhileLocked: a write that another program's lock stops says so.
func TestWriteWhileLocked(t *testing.T) {
	eachLock(t, func(t *testing.T, s *store.Store, _ func()) {
		err := s.AddRecent(t.Context(), "/a")
		if !errors.Is(err, store.ErrLocked) || !strings.HasSuffix(err.Error(), "another program has the history locked; close that program") {
			t.Error(err)
		}
	})
}

// TestClosedWhileLocked: a close ends while another program has the history locked. It fails only when
// a request is lost.
func TestClosedWhileLocked(t *testing.T) {
	eachLock(t, func(t *testing.T, s *store.Store, _ func()) {
		s.AddSample(store.Sample{Repository: "/a", Time: time.Now(), Covered: time.Second})
		s.AddEvent(store.Event{Repository: "/a", Time: time.Now(), Text: "an event"})
		if err := s.Close(); err != nil {
			t.Errorf("with a measurement and an event: %v", err)
		}
	})
	eachLock(t, func(t *testing.T, s *store.Store, _ func()) {
		s.AddRequest(store.Request{Repository: "/a", Model: "digits", Time: time.Now()})
		if err := s.Close(); !errors.Is(err, store.ErrLocked) {
			t.Errorf("with a request: %v", err)
		}
	})
}
