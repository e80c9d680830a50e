package workspace

import (
	"slices"
	"testing"

	"conch/app/api"
	"conch/app/enginehost"
	"conch/configedit/modelconfig"
	"conch/engine/kserve/enginepb"
	"conch/repo/scan"
)

// TestAVersionWhoseFolderIsGone: the engine keeps it in its index, but here it is neither shown nor a reason, unless it
// still serves or belongs to a server elsewhere.
func TestAVersionWhoseFolderIsGone(t *testing.T) {
	gone := &enginepb.Version{Number: 4, State: enginepb.State_STATE_UNAVAILABLE, Reason: "Internal: 4/model.py not found"}
	ready := &enginepb.Version{Number: 3, State: enginepb.State_STATE_READY}
	unloaded := &enginepb.Version{Number: 3, State: enginepb.State_STATE_UNAVAILABLE, Reason: "unloaded"}
	drains := &enginepb.Version{Number: 4, State: enginepb.State_STATE_UNLOADING}
	for _, c := range []struct {
		name    string
		engine  []*enginepb.Version
		onDisk  []scan.Version
		remote  bool
		numbers []int64
		state   api.ModelState
	}{
		{"gone", []*enginepb.Version{ready, gone}, []scan.Version{{Number: 3}}, false, []int64{3}, api.ModelState_MODEL_STATE_READY},
		{"gone, and the other is unloaded", []*enginepb.Version{unloaded, gone}, []scan.Version{{Number: 3}}, false, []int64{3}, api.ModelState_MODEL_STATE_UNLOADED},
		{"gone, and still drains", []*enginepb.Version{ready, drains}, []scan.Version{{Number: 3}}, false, []int64{3, 4}, api.ModelState_MODEL_STATE_READY},
		{"there", []*enginepb.Version{unloaded, gone}, []scan.Version{{Number: 3}, {Number: 4}}, false, []int64{3, 4}, api.ModelState_MODEL_STATE_FAILED},
		{"of a server elsewhere", []*enginepb.Version{unloaded, gone}, []scan.Version{{Number: 3}}, true, []int64{3, 4}, api.ModelState_MODEL_STATE_FAILED},
	} {
		s := &openRepository{}
		s.running.status.State = enginehost.Ready
		s.running.models = map[string]*enginepb.Model{"m": {Name: "m", Runnable: true, Backend: "python", Versions: c.engine}}
		s.side = &side{}
		if c.remote {
			s.side.remote = &Remote{}
		}
		out := &api.ModelSummary{Name: "m"}
		s.addState(out, &scan.Model{Name: "m", Versions: c.onDisk})
		numbers := []int64{}
		for _, v := range out.Versions {
			numbers = append(numbers, v.Number)
		}
		if !slices.Equal(numbers, c.numbers) || out.State != c.state {
			t.Errorf("%s: versions %v, state %v, want %v %v", c.name, numbers, out.State, c.numbers, c.state)
		}
	}
}

// TestAVersionThatThePolicyLeavesOut: beside a version that serves, its reason is the policy of the saved config; of a server
// elsewhere the policy is not known.
func TestAVersionThatThePolicyLeavesOut(t *testing.T) {
	latest := &modelconfig.ModelVersionPolicy{PolicyChoice: &modelconfig.ModelVersionPolicy_Latest_{Latest: &modelconfig.ModelVersionPolicy_Latest{NumVersions: 1}}}
	specific := &modelconfig.ModelVersionPolicy{PolicyChoice: &modelconfig.ModelVersionPolicy_Specific_{Specific: &modelconfig.ModelVersionPolicy_Specific{Versions: []int64{2, 3}}}}
	all := &modelconfig.ModelVersionPolicy{PolicyChoice: &modelconfig.ModelVersionPolicy_All_{}}
	const how = ". To serve each version, write version_policy { all {} } into the config"
	ready, rests := enginepb.State_STATE_READY, enginepb.State_STATE_UNAVAILABLE
	for _, c := range []struct {
		name   string
		policy *modelconfig.ModelVersionPolicy
		second enginepb.State
		remote bool
		reason string // of version 1
	}{
		{"latest", latest, ready, false, "not served: version_policy is latest 1" + how},
		{"specific", specific, ready, false, "not served: version_policy is specific 2, 3" + how},
		{"all", all, ready, false, "unloaded"},
		{"nothing serves", latest, rests, false, "unloaded"},
		{"not judged yet", nil, ready, false, "unloaded"},
		{"elsewhere", latest, ready, true, "unloaded"},
	} {
		s := &openRepository{side: &side{}}
		if c.remote {
			s.side.remote = &Remote{}
		}
		s.checking.known = map[string]finding{"m": {policy: c.policy}}
		s.running.status.State = enginehost.Ready
		s.running.models = map[string]*enginepb.Model{"m": {Name: "m", Runnable: true, Backend: "python", Versions: []*enginepb.Version{
			{Number: 1, State: rests, Reason: "unloaded"}, {Number: 2, State: c.second},
		}}}
		out := &api.ModelSummary{Name: "m"}
		s.addState(out, &scan.Model{Name: "m", Versions: []scan.Version{{Number: 1}, {Number: 2}}})
		if got := out.Versions[0].Reason; got != c.reason {
			t.Errorf("%s: version 1 is unloaded because %q, want %q", c.name, got, c.reason)
		}
	}
}
