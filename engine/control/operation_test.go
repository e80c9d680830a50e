package control

import (
	"context"
	"testing"
	"time"

	"conch/engine/model"
)

// watched is a source of models that records each call for its listing: one comes before each model is
// defined.
type watched struct{ asked func() }

func (w *watched) Current() *Listing {
	if w.asked != nil {
		w.asked()
	}
	return &Listing{}
}

func (w *watched) Refresh(context.Context, ...string) (*Listing, error) { return &Listing{}, nil }
func (w *watched) Subscribe() (<-chan *Listing, func())                 { return nil, func() {} }
func (w *watched) Watch([]string)                                       {}

// The definitions of models that are added to a running operation are read without its lock. If the disk hangs for one of them, no
// other model of the operation waits.
func TestModelsAreGatheredWithoutALock(t *testing.T) {
	source := &watched{}
	m := New(Options{Models: source, Loader: &model.Loader{}, Mode: Explicit})
	r := m.ops.enlist(t.Context(), map[string]order{"a": {action: loadModel}})
	defer r.close()
	op := prepare(r)
	asked := 0
	source.asked = func() {
		asked++
		known := make(chan struct{})
		go func() {
			defer close(known)
			op.known()
		}()
		select {
		case <-known:
		case <-time.After(10 * time.Second):
			t.Error("a definition is read while the operation is locked")
		}
	}
	for _, o := range []order{{action: loadModel}, {action: check}} {
		if fresh := op.gather([]string{"a", "b"}, o); len(fresh) != 1 || fresh["b"] == nil {
			t.Errorf("%v was gathered, want b alone", fresh)
		}
	}
	op.extend(&node{name: "a", parts: []string{"c"}})
	op.all.Wait()
	if asked < 3 || op.known()["c"] == nil {
		t.Errorf("the source was asked %d times, and the operation has %v", asked, op.known())
	}
}
