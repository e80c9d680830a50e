package store_test

import (
	"testing"
	"time"

	"conch/app/store"
)

// TestDrafts: the newest version of each text stays, by root, over a restart.
func TestDrafts(t *testing.T) {
	dir := t.TempDir()
	s := open(t, store.Options{Dir: dir})
	at := time.UnixMilli(1_700_000_000_123)
	draft := func(text string, version uint64) store.Draft {
		return store.Draft{
			Root: "/a", Path: "m/config.pbtxt", Text: text, BaseVersion: "v", BaseText: "base", Version: version, Changed: at,
		}
	}
	save := func(drafts, removed []store.Draft) {
		t.Helper()
		if err := s.SaveDrafts(t.Context(), drafts, removed); err != nil {
			t.Fatal(err)
		}
	}
	want := func(root string, want ...store.Draft) {
		t.Helper()
		list, err := s.Drafts(t.Context(), root)
		if err != nil || len(list) != len(want) {
			t.Fatalf("%v, %v", list, err)
		}
		for i, d := range list {
			if !d.Changed.Equal(want[i].Changed) {
				t.Errorf("changed at %v", d.Changed)
			}
			if d.Changed = want[i].Changed; d != want[i] {
				t.Errorf("%+v, want %+v", d, want[i])
			}
		}
	}
	other := draft("of another repository", 3)
	other.Root = "/b"
	save([]store.Draft{draft("new", 5), other}, nil)
	save([]store.Draft{draft("late", 4)}, nil)
	want("/a", draft("new", 5))
	save([]store.Draft{draft("newer", 6)}, []store.Draft{{Root: "/a", Path: "m/config.pbtxt", Version: 5}})
	want("/a", draft("newer", 6))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, store.Options{Dir: dir})
	want("/a", draft("newer", 6))
	save(nil, []store.Draft{{Root: "/a", Path: "m/config.pbtxt", Version: 7}})
	want("/a")
	want("/b", other)
}
