//go:build unix

package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/app"
	"conch/app/api"
	"conch/app/apptest"
	"conch/engine/backend/onnx/onnxtest"
	"conch/engine/convert"
	"conch/engine/convert/converttest"
)

// rows is a profile of the model of the test.
func rows(least, best, largest int64) *api.PlanProfile {
	return &api.PlanProfile{Ranges: []*api.ShapeRange{{Input: "x", Least: []int64{least, 64}, Best: []int64{best, 64}, Largest: []int64{largest, 64}}}}
}

// A model becomes a plan of TensorRT: people see its config and what it costs, then it is a model of its own beside the first one, which answers.
func TestConvertToAPlan(t *testing.T) {
	apptest.UsePython(t)
	bin, _, _ := strings.Cut(os.Getenv("PATH"), string(os.PathListSeparator))
	converttest.UseTensorRT(t, filepath.Join(bin, "python3"), "10.3.0")
	root := t.TempDir()
	model := onnxtest.Identity(1, "n", 64)
	model.Inputs[0].Name, model.Outputs[0].Name = "x", "y" // the fake of TensorRT knows these alone
	model.Nodes[0].Inputs, model.Nodes[0].Outputs = []string{"x"}, []string{"y"}
	apptest.Write(t, filepath.Join(root, "copy", "1", "model.onnx"), string(model.Bytes()))
	apptest.Write(t, filepath.Join(root, "copy", "config.pbtxt"), `backend: "onnxruntime"
max_batch_size: 32
input [ { name: "x" data_type: TYPE_FP32 dims: [ 64 ] } ]
output [ { name: "y" data_type: TYPE_FP32 dims: [ 64 ] } ]
`)
	data := t.TempDir()
	w := openWith(t, app.Options{Repositories: []string{root}, DataDir: data, Trust: true})
	w.Until(t, "it is ready", func(s *apptest.Snapshot) bool { return s.State("copy") == api.ModelState_MODEL_STATE_READY })
	if d := apptest.Call(t, w.Convert.DescribeConversion, &api.DescribeConversionRequest{Model: "copy"}); d.Tensorrt != "10.3.0" || d.NoTensorrt != "" || !d.Installed || d.MostProfiles != convert.MostProfiles {
		t.Errorf("%v", d)
	}
	request := image(5)
	request.Model, request.Inputs[0].Name = "copy", "x"
	if _, err := convertIt(t, w, &api.ConvertRequest{Model: "copy", Target: "tensorrt", Becomes: "copy_trt", Plan: &api.PlanSettings{
		Precision: "fp16", Gpu: 1, Profiles: []*api.PlanProfile{rows(1, 8, 32)},
	}}); err == nil || !strings.Contains(err.Error(), "GPU 1 cannot be used") {
		t.Errorf("on a GPU that is not there: %v", err)
	}
	report, err := convertIt(t, w, &api.ConvertRequest{
		Model: "copy", Target: "tensorrt", Becomes: "copy_trt", Typed: []*api.InferRequest{request, request},
		Plan: &api.PlanSettings{Precision: "fp16", Workspace: 64 << 20, Profiles: []*api.PlanProfile{rows(1, 1, 4), rows(1, 8, 32)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if report.Requests != 1 || len(report.Outputs) != 1 || report.Outputs[0].Equal != 64 || report.Becomes != "the model copy_trt" ||
		!strings.HasPrefix(report.Tool, "TensorRT 10.3.0 beside onnxruntime ") {
		t.Errorf("%v", report)
	}
	for _, part := range []string{`platform: "tensorrt_plan"`, "max_batch_size: 32", "dims: [ 64 ]", "KIND_GPU", `profile: [ "0", "1" ]`} {
		if !strings.Contains(report.Config, part) {
			t.Errorf("%s is missing in\n%s", part, report.Config)
		}
	}
	made := filepath.Join(root, "copy_trt")
	if _, err := os.Stat(made); err == nil {
		t.Error("it was written without being asked")
	}
	written := apptest.Call(t, w.Convert.WriteConversion, &api.WriteConversionRequest{Id: report.Id})
	if written.Model != "copy_trt" || written.Version != 1 || left(filepath.Join(data, "conversions")) != 0 {
		t.Errorf("%v", written)
	}
	if text := apptest.ReadFile(t, filepath.Join(made, "config.pbtxt")); text != report.Config {
		t.Errorf("the config is\n%s", text)
	}
	w.Until(t, "the plan serves", func(s *apptest.Snapshot) bool { return s.State("copy_trt") == api.ModelState_MODEL_STATE_READY })
	out := compared(t, w, &api.CompareAnswersRequest{Request: request, Model: "copy_trt", Runs: 3})
	if len(out.Outputs) != 1 || out.Outputs[0].Equal != 64 || out.Second.Error != "" {
		t.Errorf("%v", out)
	}
}
