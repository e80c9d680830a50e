package workspace_test

import (
	"testing"

	"conch/app/api"
	"conch/app/store"
	"conch/app/workspace"
)

// TestNotifyHistory: a page that connects while history is not being written is told, and one that
// connects after that is not.
func TestNotifyHistory(t *testing.T) {
	history, err := store.Open(t.Context(), store.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = history.Close() })
	w := workspace.New(workspace.Options{Store: history, Recovery: recoveryIn(t, t.TempDir()), StartEngine: noEngine})
	t.Cleanup(func() { _ = w.Close() })
	told := func() []*api.Notice {
		t.Helper()
		sub := w.Subscribe()
		defer sub.Close()
		update, err := sub.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var about []*api.Notice
		for _, n := range update.Notices {
			if n.Cause == "history" {
				about = append(about, n)
			}
		}
		return about
	}
	told() // a page is there before
	w.NotifyHistory("the disk is full", true)
	for range 2 {
		if got := told(); len(got) != 1 || got[0].Level != api.Notice_LEVEL_WARNING || got[0].Text != "the disk is full" {
			t.Errorf("while history is not written: %v", got)
		}
	}
	open := w.Subscribe()
	defer open.Close()
	if _, err := open.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.NotifyHistory("it is written again", false)
	if u, err := open.Next(t.Context()); err != nil || len(u.Notices) != 1 || u.Notices[0].Level != api.Notice_LEVEL_INFO || u.Notices[0].Cause != "history" {
		t.Errorf("when it is written again: %v, %v", u, err)
	}
	if got := told(); len(got) != 0 {
		t.Errorf("after that: %v", got)
	}
}
