package shortcut

import "testing"

// A client that is alone does not wait behind others, of which there are none; clients by turns do.
func TestCompany(t *testing.T) {
	t.Parallel()
	s := Over(nil, nil)
	a, b := &connection{server: s}, &connection{server: s}
	for i, want := range []struct {
		k    *connection
		with bool
	}{{a, true}, {a, false}, {a, false}, {b, true}, {a, true}, {a, false}} {
		if got := want.k.company(); got != want.with {
			t.Errorf("reading %d: %v", i, got)
		}
	}
	if s.forget(a); s.newest.Load() != nil {
		t.Error("a connection that has ended is kept")
	}
}
