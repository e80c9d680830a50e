package app_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"connectrpc.com/connect"

	"conch/app/api"
	"conch/app/apptest"
)

// A model that asks for a GPU runs on the CPU of a machine without one, and the window says so. When the user wants Triton's
// judgement, its load is refused in Triton's words.
func TestModelOfAGPU(t *testing.T) {
	t.Setenv("CUDA_VISIBLE_DEVICES", "-1") // hides the GPUs of the machine that runs the test
	w := openExamples(t)
	w.Until(t, "all are ready", apptest.AllReady)
	config := filepath.Join(w.Root, "add_sub", "config.pbtxt")
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	apptest.Write(t, config, string(text)+"\ninstance_group [ { kind: KIND_GPU count: 1 } ]\n")
	s := w.Until(t, "it runs on the CPU", func(s *apptest.Snapshot) bool { return len(s.Models["add_sub"].GetElsewhere()) == 1 })
	m := s.Models["add_sub"]
	if m.Device != "CPU" || m.Instances != 1 || m.State != api.ModelState_MODEL_STATE_READY || m.Elsewhere[0].Badge != "KIND_GPU, runs on CPU here" {
		t.Errorf("it is %v", m)
	}
	const why = "instance group add_sub_0 asks for KIND_GPU and runs on the CPU here, because this machine has no NVIDIA GPU that can be used"
	w.Until(t, "people are told", func(s *apptest.Snapshot) bool {
		return strings.Contains(strings.Join(s.Notices, "\n"), "add_sub: "+why)
	})
	out := apptest.Call(t, w.Models.GetEffectiveConfig, &api.GetEffectiveConfigRequest{Name: "add_sub"})
	found := false
	for _, f := range out.Filled {
		if f.Path == "instance_group[0].kind" && strings.HasPrefix(f.Reason, why) {
			found = strings.Contains(strings.Split(out.Text, "\n")[f.Line-1], "KIND_GPU")
		}
	}
	if !found {
		t.Errorf("the effective config says %v", out)
	}

	auto := "name: \"add_sub\" platform: \"onnxruntime_onnx\" instance_group [ { gpus: [ 3 ] }, { count: 1 } ]"
	reasons := func() string {
		told := ""
		for _, f := range apptest.Call(t, w.Models.GetEffectiveConfig, &api.GetEffectiveConfigRequest{Name: "add_sub", Text: &auto}).Filled {
			if strings.HasSuffix(f.Path, ".kind") && strings.HasPrefix(f.Reason, "KIND_AUTO") {
				told += f.Path + " " + f.Reason + "\n"
			}
		}
		return told
	}
	const none, triton = " KIND_AUTO means the CPU here: this machine has no NVIDIA GPU that can be used", ". In Triton, each GPU of its machine has the group's instances"
	if told := reasons(); told != "instance_group[0].kind KIND_AUTO with a list of GPUs means these GPUs where they are\ninstance_group[1].kind"+none+triton+"\n" {
		t.Errorf("groups that leave the choice open: %s", told)
	}
	kinds := ""
	for _, f := range apptest.Call(t, w.Editor.Compare, &api.CompareRequest{Model: "add_sub", Text: auto}).Fields {
		if f.Label == "kind" {
			kinds += f.Effective + " "
		}
	}
	if kinds != "KIND_GPU KIND_CPU " {
		t.Errorf("beside the text the groups have %s", kinds)
	}

	strict := true
	apptest.Call(t, w.Workspace.SetAccess, &api.SetAccessRequest{Roots: []string{w.Root}, StrictGpu: &strict})
	w.Until(t, "the page knows", func(s *apptest.Snapshot) bool { return s.Repository.Access.GetStrictGpu() })
	if told := reasons(); told != "instance_group[0].kind"+none+"\n"+"instance_group[1].kind"+none+triton+"\n" {
		t.Errorf("groups that leave the choice open, where models whose GPUs are missing are refused: %s", told)
	}
	where := apptest.Call(t, w.Models.FindDevices, &api.FindDevicesRequest{Name: "add_sub"})
	if !strings.Contains(where.Refused, "no GPUs are available") || !strings.HasPrefix(where.WithoutStrict, why) || len(where.Devices) > 0 {
		t.Errorf("before a load: %v", where)
	}
	told := apptest.Refused(t, w.Models.Load, &api.LoadRequest{Name: "add_sub", Force: true}, connect.CodeFailedPrecondition)
	if !strings.Contains(told, "instance group add_sub_0 of model add_sub has kind KIND_GPU but no GPUs are available") {
		t.Errorf("load: %s", told)
	}
	w.Until(t, "the page knows which setting refuses it", func(s *apptest.Snapshot) bool {
		return strings.HasPrefix(s.Models["add_sub"].GetWithoutStrict(), why)
	})
	strict = false
	apptest.Call(t, w.Workspace.SetAccess, &api.SetAccessRequest{Roots: []string{w.Root}, StrictGpu: &strict})
	if where = apptest.Call(t, w.Models.FindDevices, &api.FindDevicesRequest{Name: "add_sub"}); !slices.Equal(where.Devices, []string{"CPU"}) || where.Refused != "" {
		t.Errorf("before a load that is not refused: %v", where)
	}
}

// Accelerators for GPUs that no instance uses are told of, with the rule that they break. Triton looks at them on a GPU only.
func TestIdleAccelerators(t *testing.T) {
	t.Setenv("CUDA_VISIBLE_DEVICES", "-1") // hides the GPUs of the machine that runs the test
	w := openExamples(t)
	w.Until(t, "all are ready", apptest.AllReady)
	config := filepath.Join(w.Root, "digits", "config.pbtxt")
	apptest.Write(t, config, apptest.ReadFile(t, config)+"\noptimization { execution_accelerators { gpu_execution_accelerator { name: \"nope\" } } }\n")
	s := w.Until(t, "the badge is there", func(s *apptest.Snapshot) bool { return len(s.Models["digits"].GetElsewhere()) == 1 })
	m := s.Models["digits"]
	const why = `gpu_execution_accelerator is not used here, and Triton would refuse the model on a GPU. ACC1: no accelerator for GPUs is called "nope"`
	if e := m.Elsewhere[0]; m.State != api.ModelState_MODEL_STATE_READY || e.Badge != "GPU accelerator, not used here" || !strings.HasPrefix(e.Text, why) {
		t.Errorf("it is %v", m)
	}
	w.Until(t, "people are told", func(s *apptest.Snapshot) bool {
		return strings.Contains(strings.Join(s.Notices, "\n"), "digits: "+why)
	})
}

// What the window chooses for ONNX models that name no accelerator counts from the next start of the engine, and no config changes.
func TestAcceleratorOfAllModels(t *testing.T) {
	w := openExamples(t)
	w.Until(t, "all are ready", apptest.AllReady)
	choose := func(value string) {
		apptest.Call(t, w.Workspace.SetSettings, &api.SetSettingsRequest{Values: map[string]string{"accelerator": value}})
		apptest.Call(t, w.Workspace.RestartEngine, &api.RestartEngineRequest{})
	}
	choose(`"nothing"`) // one that no ONNX Runtime has, since none but the processor is on every machine
	w.Until(t, "the models ask for it", func(s *apptest.Snapshot) bool {
		return strings.Contains(s.Models["add_sub"].GetReason(), "unknown Execution Accelerator 'nothing' is requested")
	})
	choose(`""`)
	w.Until(t, "all are ready again", apptest.AllReady)
}
