package store

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

func TestVisits(t *testing.T) {
	dir, now := t.TempDir(), time.UnixMilli(1_700_000_000_000)
	open := func() *Store {
		s, err := Open(t.Context(), Options{Dir: dir, Now: func() time.Time { return now }})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := open()
	if roots, err := s.LastVisit(t.Context()); roots != nil || err != nil {
		t.Errorf("at first the last visit is to %q, %v", roots, err)
	}
	// Two visits in the same millisecond: the later one counts. A folder's name may have a line break.
	visits := map[string][]string{"a": {"/a"}, "b": {"/b", "/b\nc"}}
	for _, key := range []string{"a", "b"} {
		if err := s.AddVisit(t.Context(), key, visits[key]); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.KeepPlace(t.Context(), "a", `{"model":"digits"}`); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open()
	defer func() { _ = s.Close() }()
	if roots, err := s.LastVisit(t.Context()); !slices.Equal(roots, visits["b"]) || err != nil {
		t.Errorf("the last visit is to %q, %v", roots, err)
	}
	now = now.Add(time.Second)
	if err := s.AddVisit(t.Context(), "a", visits["a"]); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{"a": `{"model":"digits"}`, "b": "", "unknown": ""} {
		if got, err := s.Place(t.Context(), key); got != want || err != nil {
			t.Errorf("the place in %s is %q, %v; want %q", key, got, err, want)
		}
	}
	if roots, _ := s.LastVisit(t.Context()); !slices.Equal(roots, visits["a"]) {
		t.Errorf("after another visit the last is %q", roots)
	}
	for i := range maxVisits {
		now = now.Add(time.Second)
		if err := s.AddVisit(t.Context(), fmt.Sprint(i), []string{"/x"}); err != nil {
			t.Fatal(err)
		}
	}
	if got, _ := s.Place(t.Context(), "a"); got != "" {
		t.Errorf("the oldest is still remembered: %q", got)
	}
}
