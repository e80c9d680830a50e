package release_test

import (
	"slices"
	"strings"
	"testing"

	"conch/configedit/backends"
	"conch/configedit/release"
	"conch/configedit/rule"
)

// TestTable: names are in order, each library is described and never reads less than the one before, and what the
// table names exists.
func TestTable(t *testing.T) {
	if !slices.IsSortedFunc(release.All(), func(a, b release.Release) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("the releases are not in order")
	}
	var before release.Library
	for _, r := range release.All() {
		l := r.Library()
		if l.Opset < before.Opset || l.IR < before.IR || l.Opset == 0 {
			t.Errorf("%s: %+v after %+v", r.Name, l, before)
		}
		before = l
	}
	for _, r := range release.Rules {
		if rule.Find(r.ID) == nil || release.Find(r.Since) == nil {
			t.Errorf("%+v", r)
		}
	}
	for _, b := range backends.All() {
		if since := release.Without(b.Name); since != "" && release.Find(since) == nil {
			t.Errorf("%s: %s", b.Name, since)
		}
	}
	if release.Without(backends.TensorFlow) == "" {
		t.Error("the table does not know the name of TensorFlow's backend")
	}
}
