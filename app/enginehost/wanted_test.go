package enginehost

import (
	"context"
	"maps"
	"testing"

	"google.golang.org/grpc"

	"conch/engine/kserve/enginepb"
	"conch/engine/kserve/kservepb"
)

// prompt answers every load at once; what events say of it is the test's business.
type prompt struct {
	kservepb.GRPCInferenceServiceClient
}

func (prompt) RepositoryModelLoad(context.Context, *kservepb.RepositoryModelLoadRequest, ...grpc.CallOption) (*kservepb.RepositoryModelLoadResponse, error) {
	return &kservepb.RepositoryModelLoadResponse{}, nil
}

func known(name string, state enginepb.State) *enginepb.Event {
	return &enginepb.Event{Models: []*enginepb.Model{{Name: name, LoadedExplicitly: true, Versions: []*enginepb.Version{{Number: 1, State: state}}}}}
}

// TestLoadsWhoseEventsWereLost: an engine may die between the answer to a load and the event that tells of it.
func TestLoadsWhoseEventsWereLost(t *testing.T) {
	w := wanted{planned: true, pending: map[string]bool{"lost": true, "told": true, "unloaded": true, "poison": false}}
	w.note(&enginepb.Event{Reset_: true})
	client := &Client{KServe: prompt{}}
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
