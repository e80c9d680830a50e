//go:build unix

package convert_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"conch/engine/backend/onnx/onnxtest"
	"conch/engine/convert"
	"conch/engine/convert/converttest"
	"conch/engine/device"
)

func copying(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model.onnx")
	model := onnxtest.Identity(1, "n", 64)
	model.Inputs[0].Name, model.Outputs[0].Name = "x", "y"
	model.Nodes[0].Inputs, model.Nodes[0].Outputs = []string{"x"}, []string{"y"}
	if err := os.WriteFile(path, model.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func plan(precision string) *convert.Plan {
	return &convert.Plan{
		Precision: precision, Workspace: 64 << 20, Profiles: []map[string]convert.Range{{"x": {{1, 64}, {8, 64}, {32, 64}}}},
	}
}

// TensorRT's builder gets the precision, the profile and the memory, tells how far it is, and its plan is compared with the ONNX model.
func TestPlan(t *testing.T) {
	for _, version := range []string{"8.6.1", "10.3.0"} {
		told := converttest.UseTensorRT(t, python(t), version)
		r, steps, err := build(t, convert.Job{Model: copying(t), Requests: rows(2, 64), Plan: plan("fp16")})
		if err != nil {
			t.Fatalf("%s: %v\n%s", version, err, strings.Join(steps, "\n"))
		}
		if !slices.ContainsFunc(steps, func(line string) bool { return strings.Contains(line, "a weight is smaller than FP16 can say") }) {
			t.Errorf("%s: the log of TensorRT is missing in %q", version, steps)
		}
		if d := r.Outputs[0].Difference; r.Requests != 1 || d.Elements != 128 || d.Equal != 128 || r.Before.Median <= 0 || r.After.Median <= 0 {
			t.Errorf("%s: %+v", version, r)
		}
		if !strings.HasPrefix(r.Tool, "TensorRT "+version+" beside onnxruntime") {
			t.Errorf("by %s", r.Tool)
		}
		if len(r.Tensors) != 2 || r.Tensors[0].Datatype != "TYPE_FP32" || r.Tensors[1].Input || r.Profiles != 1 || r.LargestBatch != 32 {
			t.Errorf("%+v", r)
		}
		monitored := slices.Contains(steps, "TensorRT builds the plan: Building engine")
		if monitored != (version == "10.3.0") {
			t.Errorf("%s: progress: %v", version, steps)
		}
		text, err := os.ReadFile(filepath.Join(told, "settings.json"))
		if err != nil {
			t.Fatal(err)
		}
		var settings struct {
			Flags    []string
			Pools    map[string]int64
			Profiles []map[string][][]int64
			Order    string
		}
		if err := json.Unmarshal(text, &settings); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(settings.Flags, []string{"FP16"}) || settings.Pools["WORKSPACE"] != 64<<20 || settings.Profiles[0]["x"][1][0] != 8 || settings.Order != device.ByBus {
			t.Errorf("the builder was told %s", text)
		}
	}
}

// A plan with several profiles is built with all of them, and tried with them: a request that the second one alone takes is answered.
func TestPlanWithProfiles(t *testing.T) {
	told := converttest.UseTensorRT(t, python(t), "10.3.0")
	two := plan("fp16")
	two.Profiles = append(two.Profiles, map[string]convert.Range{"x": {{33, 64}, {40, 64}, {64, 64}}})
	r, steps, err := build(t, convert.Job{Model: copying(t), Requests: append(rows(2, 64), rows(40, 64)...), Plan: two})
	if err != nil {
		t.Fatalf("%v\n%s", err, strings.Join(steps, "\n"))
	}
	if d := r.Outputs[0].Difference; r.Requests != 2 || d.Equal != 42*64 || d.Elements != d.Equal || r.Profiles != 2 || r.LargestBatch != 64 {
		t.Errorf("%+v", r)
	}
	text, err := os.ReadFile(filepath.Join(told, "settings.json"))
	if err != nil || !strings.Contains(string(text), `"profiles": [{"x": [[1, 64], [8, 64], [32, 64]]}, {"x": [[33, 64], [40, 64], [64, 64]]}]`) {
		t.Errorf("the builder was told %s, %v", text, err)
	}
}

// The GPU that builds a plan is the one that was chosen.
func TestPlanOnASecondGPU(t *testing.T) {
	converttest.UseTensorRT(t, python(t), "10.3.0")
	t.Setenv("FAKE_GPUS", "2")
	second := plan("fp16")
	second.Device = 1
	r, steps, err := build(t, convert.Job{Model: copying(t), Requests: rows(2, 64), Plan: second})
	if err != nil || r.Outputs[0].Difference.Equal != 128 || len(r.GPUs) > 0 {
		t.Errorf("%+v, %v\n%s", r, err, strings.Join(steps, "\n"))
	}
}

// Where the machine has GPUs of two kinds, those of the builder's kind are told: a plan runs on no other.
func TestPlanAmongGPUsOfTwoKinds(t *testing.T) {
	converttest.UseTensorRT(t, python(t), "10.3.0")
	t.Setenv("FAKE_GPUS", "3")
	t.Setenv("FAKE_ODD", "1")
	for device, want := range map[int]string{0: "[0 2]", 1: "[1]"} {
		one := plan("fp16")
		one.Device = device
		r, _, err := build(t, convert.Job{Model: copying(t), Plan: one})
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(r.GPUs); got != want {
			t.Errorf("built on GPU %d it runs on %s, want %s", device, got, want)
		}
	}
}

// A build that is cancelled ends with its process at once, in the middle of what TensorRT does.
func TestPlanIsCancelled(t *testing.T) {
	told := converttest.UseTensorRT(t, python(t), "10.3.0")
	t.Setenv("FAKE_HANGS", "1")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := tools(t).Run(ctx, convert.Job{Target: convert.TensorRT, Name: "model.plan", Model: copying(t), Plan: plan("fp16")}, t.TempDir(), func(e convert.Event) {
		if e.Step == "TensorRT builds the plan: Building engine" && e.Done == 1 && e.Of == 2 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	text, err := os.ReadFile(filepath.Join(told, "process"))
	if err != nil {
		t.Fatal(err)
	}
	process, err := strconv.Atoi(string(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(process, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the process that built it is still there: %v", err)
	}
}

func build(t *testing.T, j convert.Job) (*convert.Report, []string, error) {
	t.Helper()
	j.Target = convert.TensorRT
	_, r, steps, err := run(t, j)
	return r, steps, err
}

// What TensorRT does not build is told in its words and ours.
func TestPlanRefusals(t *testing.T) {
	converttest.UseTensorRT(t, python(t), "10.3.0")
	none, wrong, small, unknown, elsewhere := plan("fp16"), plan("fp16"), plan("fp16"), plan("fp16"), plan("fp16")
	second, wide, many := plan("fp16"), plan("fp16"), plan("fp16")
	second.Profiles = append(second.Profiles, map[string]convert.Range{})
	wide.Profiles = append(wide.Profiles, map[string]convert.Range{"x": {{1, 64}, {8, 65}, {32, 64}}})
	many.Profiles = slices.Repeat(many.Profiles, convert.MostProfiles+1)
	elsewhere.Device = 1
	none.Profiles, small.Workspace = nil, 1<<20
	wrong.Profiles = []map[string]convert.Range{{"x": {{8, 64}, {1, 64}, {32, 64}}}}
	unknown.Profiles = []map[string]convert.Range{{"z": {{8, 64}, {8, 64}, {32, 64}}}}
	for want, j := range map[string]convert.Job{
		"input 'x' has shape [-1, 64]: say the least, best and largest shape of it in profile 0":              {Model: copying(t), Plan: none},
		"input 'x' has shape [-1, 64]: say the least, best and largest shape of it in profile 1":              {Model: copying(t), Plan: second},
		"input 'x' has shape [-1, 64]: shape [8, 65] in profile 1 does not fit it":                            {Model: copying(t), Plan: wide},
		"in profile 0 each size must be least <= best <= largest, and [[8, 64], [1, 64], [32, 64]] is not so": {Model: copying(t), Plan: wrong},
		"the model has no input 'z', which profile 0 names; it has x":                                         {Model: copying(t), Plan: unknown},
		"17 profiles are more than the 16 that a plan is built with":                                          {Model: copying(t), Plan: many},
		"built no plan: 10: Could not find any implementation":                                                {Model: copying(t), Plan: small},
		"GPU 1 cannot be used: ":              {Model: copying(t), Plan: elsewhere},
		"'fp4' is no precision":               {Model: copying(t), Plan: plan("fp4")},
		"No importer registered for op: Gemm": {Model: digits, Plan: plan("fp16")},
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			if _, steps, err := build(t, j); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v\nwant %s\n%s", err, want, strings.Join(steps, "\n"))
			}
		})
	}
}
