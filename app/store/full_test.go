//go:build unix

package store_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"conch/app/store"
	"conch/build/fulldisk"
)

// TestFullDisk: what cannot be written waits, can be read meanwhile, and is written once there is
// room.
func TestFullDisk(t *testing.T) {
	s := open(t, store.Options{})
	told := make(chan string, 10)
	s.Follow(func(trouble string) { told <- trouble })
	written := s.AddRequest(store.Request{Repository: "/r", Time: time.Now(), Model: "digits"})
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	undo := fulldisk.LimitFiles(t, 1)
	waiting := s.AddRequest(store.Request{Repository: "/r", Time: time.Now(), Model: "digits", RequestBody: make([]byte, 100_000)})
	flushErr := s.Flush(t.Context())
	settingErr := s.SetSettings(t.Context(), map[string]string{"theme": "1"})
	list, listErr := s.Requests(t.Context(), "/r", "digits", 10)
	one, oneErr := s.Request(t.Context(), waiting)
	first := <-told
	failing := s.Failing()
	undo()
	for _, err := range []error{flushErr, settingErr} {
		var said *store.Error
		if !errors.As(err, &said) || !strings.Contains(err.Error(), s.Path()) || !strings.Contains(said.Why, "free some space") {
			t.Errorf("said %v", err)
		}
	}
	if listErr != nil || len(list) != 2 || list[0].ID != waiting || list[1].ID != written {
		t.Errorf("meanwhile the list is %v, %v", list, listErr)
	}
	if oneErr != nil || len(one.RequestBody) != 100_000 {
		t.Errorf("meanwhile the request has %d bytes, %v", len(one.RequestBody), oneErr)
	}
	if second := <-told; !failing || s.Failing() || !strings.Contains(first, "Until then it is kept in memory") || !strings.Contains(second, "written again") {
		t.Errorf("told %q, then %q", first, second)
	}
	if list, err := s.Requests(t.Context(), "/r", "", 10); err != nil || len(list) != 2 {
		t.Errorf("the list is %v, %v", list, err)
	}
	if got := count(t, s, "SELECT count(*) FROM request"); got != 2 {
		t.Errorf("%d requests are in the file", got)
	}
}

// TestDamageMetByReading: a read that finds damage fails once. The next read works on a new file, and
// the damage is reported.
func TestDamageMetByReading(t *testing.T) {
	s := open(t, store.Options{})
	for range 200 {
		s.AddRequest(store.Request{Repository: "/r", Time: time.Now(), Model: "m", RequestBody: make([]byte, 2000)})
	}
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	execute(t, s.Path(), `PRAGMA wal_checkpoint(TRUNCATE)`)
	write(t, s.Path(), []byte(strings.Repeat("overwritten ", 50_000)))
	for range 2 { // the pages read last are still in memory
		if _, err := s.Settings(t.Context()); err != nil && !strings.Contains(err.Error(), "damaged") {
			t.Errorf("said %v", err)
		}
		if _, err := s.Requests(t.Context(), "/r", "", 1000); err != nil && !strings.Contains(err.Error(), "damaged") {
			t.Errorf("said %v", err)
		}
	}
	if list, err := s.Requests(t.Context(), "/r", "", 10); err != nil || len(list) != 0 {
		t.Errorf("the list is %v, %v", list, err)
	}
	if told := s.Trouble(); !strings.Contains(told, "moved to conch.db.damaged") {
		t.Errorf("told %q", told)
	}
}
