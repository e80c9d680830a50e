package enginehost

import (
	"context"
	"maps"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"conch/engine/kserve/enginepb"
	"conch/engine/kserve/kservepb"
)

// prompt answers every load at once. The test sends the events.
type prompt struct {
	kservepb.GRPCInferenceServiceClient
}

func (prompt) RepositoryModelLoad(context.Context, *kservepb.RepositoryModelLoadRequest, ...grpc.CallOption) (*kservepb.RepositoryModelLoadResponse, error) {
	return &kservepb.RepositoryModelLoadResponse{}, nil
}

// crowded has no memory for the model "large", and ends when it is asked to load "poison".
type crowded struct {
	prompt
	gone atomic.Bool
}

func (c *crowded) RepositoryModelLoad(_ context.Context, r *kservepb.RepositoryModelLoadRequest, _ ...grpc.CallOption) (*kservepb.RepositoryModelLoadResponse, error) {
	switch r.ModelName {
	case "large":
		return nil, status.Error(codes.Unavailable, "model 'large' does not fit into memory")
	case "stopped":
		return nil, status.Error(codes.Canceled, "the load was stopped")
	case "poison":
		c.gone.Store(true)
		return nil, status.Error(codes.Unavailable, "the connection was closed")
	}
	return &kservepb.RepositoryModelLoadResponse{}, nil
}

func (c *crowded) ServerLive(context.Context, *kservepb.ServerLiveRequest, ...grpc.CallOption) (*kservepb.ServerLiveResponse, error) {
	if c.gone.Load() {
		return nil, status.Error(codes.Unavailable, "there is no connection")
	}
	return &kservepb.ServerLiveResponse{Live: true}, nil
}

// TestRefusedLoadStopsNoOther: when a running engine answers that a model is unavailable, the other
// models are still loaded. When the engine has ended, they are not.
func TestRefusedLoadStopsNoOther(t *testing.T) {
	w := wanted{planned: true, pending: map[string]bool{"a": true, "large": true, "b": true}}
	w.note(&enginepb.Event{Reset_: true})
	client := &client{kserve: &crowded{}}
	w.load(t.Context(), client, true)
	if len(w.pending) != 0 || !w.answered["a"] || !w.answered["b"] || w.answered["large"] {
		t.Errorf("left are %v, answered %v", w.pending, w.answered)
	}
	if err := w.loadOne(t.Context(), client, "poison"); err == nil || !w.trying["poison"] {
		t.Errorf("the engine is gone: %v, tried %v", err, w.trying)
	}
}

func known(name string, state enginepb.State) *enginepb.Event {
	return &enginepb.Event{Models: []*enginepb.Model{{Name: name, LoadedExplicitly: true, Versions: []*enginepb.Version{{Number: 1, State: state}}}}}
}

// TestLoadsWhoseEventsWereLost: an engine may end between the answer to a load and its event.
func TestLoadsWhoseEventsWereLost(t *testing.T) {
	w := wanted{planned: true, pending: map[string]bool{"lost": true, "told": true, "unloaded": true, "poison": false}}
	w.note(&enginepb.Event{Reset_: true})
	client := &client{kserve: prompt{}}
	for _, name := range []string{"lost", "told", "unloaded"} {
		if err := w.loadOne(t.Context(), client, name); err != nil {
			t.Fatal(err)
		}
	}
	w.note(known("told", enginepb.State_STATE_READY))
	w.note(known("unloaded", enginepb.State_STATE_READY))
	w.note(known("unloaded", enginepb.State_STATE_UNAVAILABLE))
	w.setTrying("poison")
	if dropped := w.noteDeath(true); len(dropped) != 1 || dropped[0] != "poison" {
		t.Errorf("dropped %v", dropped)
	}
	if want := map[string]bool{"lost": true, "told": true}; !maps.Equal(w.pending, want) {
		t.Errorf("to be loaded again are %v, want %v", w.pending, want)
	}
}

// TestWhatIsNotLoadedStaysSo: the next engine does not load a model whose load a person stopped, or
// that was unloaded after its load was answered. A stopped load does not stop others.
func TestWhatIsNotLoadedStaysSo(t *testing.T) {
	w := wanted{planned: true, pending: map[string]bool{"stopped": false, "unloaded": false, "wanted": false}}
	w.note(&enginepb.Event{Reset_: true})
	w.load(t.Context(), &client{kserve: &crowded{}}, true)
	if !w.answered["wanted"] || !w.answered["unloaded"] {
		t.Errorf("answered are %v", w.answered)
	}
	w.note(&enginepb.Event{
		Models:    []*enginepb.Model{{Name: "unloaded"}},
		Happening: &enginepb.Happening{Kind: enginepb.Happening_KIND_UNLOADED, Model: "unloaded"},
	})
	w.noteDeath(false)
	if len(w.pending) != 1 || !w.pending["wanted"] {
		t.Errorf("the next engine loads %v, want only the model that is wanted", w.pending)
	}
}

// A model that the user unloaded stays unloaded after a restart of the engine, also where an ensemble that was loaded
// has it as a part. The ensemble's other parts serve again.
func TestUnloadedPartIsNotBroughtBack(t *testing.T) {
	ready := []*enginepb.Version{{Number: 1, State: enginepb.State_STATE_READY}}
	w := wanted{planned: true, pending: map[string]bool{}}
	w.note(&enginepb.Event{Reset_: true, Models: []*enginepb.Model{
		{Name: "unloaded", Versions: []*enginepb.Version{{Number: 1, State: enginepb.State_STATE_UNAVAILABLE}}},
		{Name: "part", Versions: ready},
		{Name: "ensemble", LoadedExplicitly: true, LoadError: "a part is not available", PartUnloaded: true},
		{Name: "wrong", LoadedExplicitly: true, LoadError: "its config is wrong"},
	}})
	w.noteDeath(false)
	if want := map[string]bool{"part": true, "wrong": false}; !maps.Equal(w.pending, want) {
		t.Errorf("%v are loaded again, want %v", w.pending, want)
	}
}
