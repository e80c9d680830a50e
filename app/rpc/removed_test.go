package rpc_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"conch/app/api"
	"conch/app/apptest"
)

// A model that was removed from the repository keeps its part of the range, which counts in the figures of the whole.
func TestSummaryOfARemovedModel(t *testing.T) {
	w := apptest.OpenExamples(t)
	w.Until(t, "it is ready", func(s *apptest.Snapshot) bool { return s.State("add_sub") == api.ModelState_MODEL_STATE_READY })
	apptest.Call(t, w.Try.Infer, apptest.Sum())
	apptest.AwaitMetrics(t, w)
	ask := func(removed bool) []string {
		q := &api.SummarizeRequest{Models: []string{"digits"}, From: time.Now().Add(-time.Minute).UnixMilli(), Removed: removed}
		var names []string
		for _, sum := range apptest.Call(t, w.Metrics.Summarize, q).Summaries {
			if sum.Model != "" { // the whole
				names = append(names, sum.Model)
			}
		}
		return names
	}
	if got := ask(true); len(got) != 1 {
		t.Errorf("while add_sub is there, the summaries are of %v", got)
	}
	if err := os.RemoveAll(filepath.Join(w.Root, "add_sub")); err != nil {
		t.Fatal(err)
	}
	w.Until(t, "it is gone", func(s *apptest.Snapshot) bool { return s.Models["add_sub"] == nil })
	if got := ask(true); len(got) != 2 || got[0] != "add_sub" {
		t.Errorf("after it was removed, the summaries are of %v", got)
	}
	if got := ask(false); len(got) != 1 {
		t.Errorf("without the removed ones, the summaries are of %v", got)
	}
}
