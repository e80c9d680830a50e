package workspace_test

import (
	"errors"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"conch/app/api"
	"conch/app/enginehost"
	"conch/app/workspace"
	"conch/configedit/modelconfig"
	"conch/engine/kserve/enginepb"
)

// TestRunsElsewhere: the window hears on which devices models run, and which of them ask for GPUs that are not there. People
// are told once, with one notice for all models of a start.
func TestRunsElsewhere(t *testing.T) {
	var say func(enginehost.Update)
	w := open(t, repository(t, map[string]string{"a": leaf, "b": leaf, "c": leaf}), func(_ []string, up func(enginehost.Update)) (workspace.Engine, error) {
		say = up
		return nil, errors.New("the test speaks for the engine")
	})
	r := follow(t, w)
	loaded := func(name string, devices []string, elsewhere ...*enginepb.Elsewhere) {
		versions := []*enginepb.Version{{Number: 1, State: enginepb.State_STATE_READY}}
		say(enginehost.Update{Event: &enginepb.Event{Models: []*enginepb.Model{{
			Name: name, Versions: versions, Backend: "python", Runnable: true, Devices: devices, Elsewhere: elsewhere,
		}}}})
	}
	times := func(text string) (n int) {
		for _, told := range r.notices {
			if told == text {
				n++
			}
		}
		return n
	}
	cpu := &enginepb.Elsewhere{Group: proto.Uint32(0), Badge: "KIND_GPU, runs on CPU here", Text: "there is no GPU", Why: "this machine has none", ByBuild: true}
	say(enginehost.Update{Status: &enginehost.Status{State: enginehost.Ready, PID: 7}})
	r.until(t, "nothing runs", func() bool { return r.engine.State == api.Engine_STATE_READY && r.engine.Device == "" })
	loaded("a", []string{"CPU"}, cpu)
	loaded("b", []string{"CPU"}, cpu)
	say(enginehost.Update{Restored: true})
	both := "2 models ask for GPUs and run on other devices: a, b. Triton would refuse them on this machine, because this machine has none"
	r.until(t, "both are told", func() bool { return times(both) == 1 })
	if m := r.models["a"]; m.Device != "CPU" || len(m.Elsewhere) != 1 || m.Elsewhere[0].Badge != cpu.Badge || !m.Elsewhere[0].ByBuild || r.models["c"].Device != "" {
		t.Errorf("a is %v", m)
	}
	loaded("a", []string{"CPU"}, cpu)
	loaded("c", []string{"GPU 1", "GPU 0"})
	r.until(t, "c runs on GPUs", func() bool {
		return r.models["c"].GetDevice() == "GPU 1, GPU 0" && r.engine.Device == "CPU, GPU 0, GPU 1"
	})
	if times("a: there is no GPU") != 0 || times(both) != 1 {
		t.Errorf("told again: %q", r.notices)
	}
	loaded("a", []string{"GPU 0"})
	loaded("a", []string{"CPU"}, cpu)
	r.until(t, "a change is told", func() bool { return times("a: there is no GPU") == 1 })

	group := &modelconfig.ModelInstanceGroup{Kind: modelconfig.ModelInstanceGroup_KIND_GPU}
	if reasons := w.Elsewhere("a", &modelconfig.ModelConfig{InstanceGroup: []*modelconfig.ModelInstanceGroup{group}}); len(reasons) != 1 || reasons[0].Reason != cpu.Text {
		t.Errorf("reasons %v", reasons)
	}
	group.Kind = modelconfig.ModelInstanceGroup_KIND_CPU
	if reasons := w.Elsewhere("a", &modelconfig.ModelConfig{InstanceGroup: []*modelconfig.ModelInstanceGroup{group}}); reasons != nil {
		t.Errorf("of another config: %v", reasons)
	}
	if reasons := w.Elsewhere("a", &modelconfig.ModelConfig{}); reasons != nil {
		t.Errorf("without groups: %v", reasons)
	}
}

// Each cause has a notice of its own: models that ask for a GPU that is here are not said to be refused by Triton, and idle accelerators ask for no GPU.
func TestRunsElsewhereBesideAGPU(t *testing.T) {
	var say func(enginehost.Update)
	w := open(t, repository(t, map[string]string{"a": leaf, "b": leaf, "c": leaf, "d": leaf, "e": leaf, "f": leaf, "g": leaf}), func(_ []string, up func(enginehost.Update)) (workspace.Engine, error) {
		say = up
		return nil, errors.New("the test speaks for the engine")
	})
	r := follow(t, w)
	group := proto.Uint32(0)
	say(enginehost.Update{Status: &enginehost.Status{State: enginehost.Ready, PID: 7}})
	for name, on := range map[string]*enginepb.Elsewhere{
		"a": {Group: group, Text: "on the CPU: GPU 0 is here", Unused: "GPU 0 is here, but 100 % unused"}, "b": {Group: group, Unused: "GPU 0 is here, but 100 % unused"},
		"c": {Group: group, Text: "no GPU 3", Why: "GPU 3 is missing"},
		"d": {Group: group, Why: "GPU 9 is missing"}, "e": {Group: group, Why: "GPU 9 is missing"},
		"f": {Unused: "\"cuda\" is idle"}, "g": {Unused: "\"cuda\" is idle"},
	} {
		say(enginehost.Update{Event: &enginepb.Event{Models: []*enginepb.Model{{
			Name: name, Versions: []*enginepb.Version{{Number: 1, State: enginepb.State_STATE_READY}}, Devices: []string{"CPU"}, Elsewhere: []*enginepb.Elsewhere{on},
		}}}})
	}
	say(enginehost.Update{Restored: true})
	r.until(t, "each reason is told", func() bool {
		return slices.Contains(r.notices, "c: no GPU 3") &&
			slices.Contains(r.notices, "2 models ask for GPUs and run on other devices: a, b. GPU 0 is here, but 100 % unused") &&
			slices.Contains(r.notices, "2 models ask for GPUs and run on other devices: d, e. Triton would refuse them on this machine, because GPU 9 is missing") &&
			slices.Contains(r.notices, "2 models have accelerators for GPUs and no instance on one: f, g. \"cuda\" is idle")
	})
}
