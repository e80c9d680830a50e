package workspace

import (
	"slices"
	"testing"

	"conch/app/api"
	"conch/engine/kserve/enginepb"
	"conch/repo/scan"
)

// Models that a server does not list are described again once it has told what it has; until then that is not known.
func TestServerTellsWhatItLacks(t *testing.T) {
	shown := map[string]*api.ModelSummary{"digits": {}, "mlp": {}}
	s := &openRepository{
		w: &Workspace{world: world{models: shown}}, side: &side{remote: &Remote{Name: "real"}},
		running: engineState{models: map[string]*enginepb.Model{}},
	}
	if why := s.missingReason(); why != "It is not known yet whether real has it." {
		t.Error(why)
	}
	state := func() api.ModelState {
		out := &api.ModelSummary{Name: "mlp"}
		s.addState(out, &scan.Model{Name: "mlp"})
		return out.State
	}
	if is := state(); is != api.ModelState_MODEL_STATE_UNSPECIFIED {
		t.Errorf("before the server has told what it has, the state is %v", is)
	}
	event := &enginepb.Event{Reset_: true, Server: &enginepb.Server{}, Models: []*enginepb.Model{{Name: "digits"}}}
	if touched := s.noteModels(event); !slices.Contains(touched, "mlp") {
		t.Errorf("of the models in the repository only %v are described again", touched)
	}
	if why := s.missingReason(); why != "real does not have it." {
		t.Error(why)
	}
	if is := state(); is != api.ModelState_MODEL_STATE_UNLOADED {
		t.Errorf("after that it is %v", is)
	}
	if touched := s.noteModels(event); slices.Contains(touched, "mlp") {
		t.Errorf("nothing is new, and %v are described again", touched)
	}
}
