//go:build unix

package app_test

import (
	"context"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"connectrpc.com/connect"

	"conch/app"
	"conch/app/api"
	"conch/app/apptest"
)

// image is a request to the model of digits.
func image(seed int) *api.InferRequest {
	var raw []byte
	for i := range 64 {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(float32((i*seed)%17)/16))
	}
	return &api.InferRequest{Model: "digits", Inputs: []*api.InferInput{{
		Name: "image", Datatype: "FP32", Shape: []int64{1, 64}, Data: &api.InferInput_Raw{Raw: raw},
	}}}
}

// convertIt converts and returns the report.
func convertIt(t *testing.T, w *window, r *api.ConvertRequest) (report *api.ConversionReport, err error) {
	t.Helper()
	stream, err := w.Convert.Convert(t.Context(), connect.NewRequest(r))
	if err != nil {
		t.Fatal(err)
	}
	for stream.Receive() {
		if got := stream.Msg().Report; got != nil {
			report = got
		}
	}
	return report, stream.Err()
}

// converting opens the examples, with the tools of the tests.
func converting(t *testing.T) (*window, string) {
	t.Helper()
	apptest.UsePython(t)
	data := t.TempDir()
	w := openWith(t, app.Options{Repositories: []string{apptest.CopyExamples(t)}, DataDir: data})
	w.Until(t, "digits is ready", func(s *apptest.Snapshot) bool { return s.State("digits") == api.ModelState_MODEL_STATE_READY })
	return w, filepath.Join(data, "conversions")
}

func left(dir string) int {
	entries, _ := os.ReadDir(dir)
	return len(entries)
}

// Who has sent no request writes some: they calibrate and compare, and what is wrong with them is told before anything is done.
func TestConvertOnWrittenRequests(t *testing.T) {
	w, dir := converting(t)
	row := strings.TrimSuffix(strings.Repeat("0.5, ", 64), ", ")
	one := `{"inputs": [{"name": "image", "datatype": "FP32", "shape": [1, 64], "data": [` + row + `]}]}`
	report, err := convertIt(t, w, &api.ConvertRequest{Model: "digits", Target: "int8", Json: "[" + one + "]", Typed: []*api.InferRequest{image(3)}})
	if err != nil || report.Requests != 2 || report.Outputs[0].Rows != 2 {
		t.Fatalf("%v, %v", report, err)
	}
	apptest.Call(t, w.Convert.DiscardConversion, &api.DiscardConversionRequest{Id: report.Id})
	for text, want := range map[string]string{
		"{":                      "What is written here is not a request in the JSON of the inference protocol: it ends in the middle",
		"[{}]":                   `it has no "inputs"`,
		`{"inputs": [{}]}`:       `What is written here does not fit together: input "": `,
		"null":                   `it has no "inputs"`,
		strings.Repeat("[", 1e5): "What is written here is not a request",
	} {
		if _, err := convertIt(t, w, &api.ConvertRequest{Model: "digits", Target: "int8", Json: text}); connect.CodeOf(err) != connect.CodeInvalidArgument || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20s: %v", text, err)
		}
	}
	if left(dir) != 0 {
		t.Errorf("%d folders are left", left(dir))
	}
}

// A model becomes FP16: people see what it costs on their requests first, then it is written as a new version, which serves. Nothing is left beside it.
func TestConvertToANewVersion(t *testing.T) {
	w, dir := converting(t)
	for seed := range 3 {
		apptest.Call(t, w.Try.Infer, image(seed+3))
	}
	apptest.Call(t, w.Try.Infer, image(3)) // the same again
	d := apptest.Call(t, w.Convert.DescribeConversion, &api.DescribeConversionRequest{Model: "digits"})
	if d.Refused != "" || !d.Installed || d.SavedRequests != 3 || d.NextVersion != 2 || len(d.Versions) != 1 || d.Versions[0].Bytes == 0 || d.NoTensorrt == "" {
		t.Errorf("%v", d)
	}
	report, err := convertIt(t, w, &api.ConvertRequest{Model: "digits", Target: "fp16"})
	if err != nil {
		t.Fatal(err)
	}
	if report.Requests != 3 || len(report.Outputs) != 1 || report.Outputs[0].Rows != 3 || report.AfterBytes >= report.BeforeBytes || report.Becomes != "version 2 of digits" || report.Of != 1 {
		t.Errorf("%v", report)
	}
	second := filepath.Join(w.Root, "digits", "2")
	if _, err := os.Stat(second); err == nil || left(dir) != 1 {
		t.Errorf("before it is written: %v, %d folders", err, left(dir))
	}
	written := apptest.Call(t, w.Convert.WriteConversion, &api.WriteConversionRequest{Id: report.Id})
	if written.Version != 2 || written.Folder != second || left(dir) != 0 {
		t.Errorf("%v, %d folders", written, left(dir))
	}
	w.Until(t, "version 2 serves", func(s *apptest.Snapshot) bool {
		versions := s.Models["digits"].GetVersions()
		return len(versions) == 2 && versions[1].State == api.ModelState_MODEL_STATE_READY
	})
	apptest.Refused(t, w.Convert.WriteConversion, &api.WriteConversionRequest{Id: report.Id}, connect.CodeNotFound)
	d = apptest.Call(t, w.Convert.DescribeConversion, &api.DescribeConversionRequest{Model: "digits"})
	if d.Usual != 1 || len(d.Versions) != 2 || d.Versions[0].Narrowed != "" || d.Versions[1].Narrowed != "FP16" {
		t.Errorf("%v", d)
	}
	if _, err := convertIt(t, w, &api.ConvertRequest{Model: "digits", Target: "fp16", Version: 2}); err == nil || !strings.Contains(err.Error(), "version 2 of digits: the model is FP16 already") {
		t.Errorf("what is FP16 is converted again: %v", err)
	}

	out := compared(t, w, &api.CompareAnswersRequest{Request: image(5), Model: "digits", Version: 1, Runs: 3})
	if out.First.Error != "" || out.Second.Error == "" || !strings.Contains(out.Second.Error, "version 1 is not") {
		t.Errorf("version 1 does not serve any more: %v", out)
	}
}

// What is not written leaves nothing: a result that is discarded, a call that ends early, a conversion that fails, a version that came meanwhile.
func TestConversionLeavesNothing(t *testing.T) {
	w, dir := converting(t)
	report, err := convertIt(t, w, &api.ConvertRequest{Model: "digits", Target: "int8", Typed: []*api.InferRequest{image(4)}})
	if err != nil || report.Requests != 1 {
		t.Fatalf("%v, %v", report, err)
	}
	apptest.Call(t, w.Convert.DiscardConversion, &api.DiscardConversionRequest{Id: report.Id})
	if _, err := convertIt(t, w, &api.ConvertRequest{Model: "digits", Target: "fp16", Keep: []string{"Nothing"}}); err == nil || !strings.Contains(err.Error(), "no operator 'Nothing'") {
		t.Errorf("it failed with %v", err)
	}
	wrong := image(4)
	wrong.Inputs[0].Name = "picture"
	if _, err := convertIt(t, w, &api.ConvertRequest{Model: "digits", Target: "fp16", Typed: []*api.InferRequest{wrong}}); err == nil || !strings.Contains(err.Error(), `no input "picture"`) {
		t.Errorf("it failed with %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	stream, err := w.Convert.Convert(ctx, connect.NewRequest(&api.ConvertRequest{Model: "digits", Target: "fp16"}))
	if err != nil {
		t.Fatal(err)
	}
	stream.Receive()
	cancel()
	w.Until(t, "nothing is left", func(*apptest.Snapshot) bool { return left(dir) == 0 })
	report, err = convertIt(t, w, &api.ConvertRequest{Model: "digits", Target: "fp16"})
	if err != nil {
		t.Fatal(err)
	}
	apptest.Write(t, filepath.Join(w.Root, "digits", "2", "model.onnx"), "mine")
	told := apptest.Refused(t, w.Convert.WriteConversion, &api.WriteConversionRequest{Id: report.Id, Version: report.Version}, connect.CodeFailedPrecondition)
	if !strings.Contains(told, "not version 2 any more but version 3") {
		t.Error(told)
	}
	waiting := apptest.Call(t, w.Convert.DescribeConversion, &api.DescribeConversionRequest{Model: "digits"}).Waiting
	if len(waiting) != 1 || waiting[0].Id != report.Id || waiting[0].Becomes != "version 3 of digits" || waiting[0].Target != "fp16" {
		t.Errorf("%v waits", waiting)
	}
	written := apptest.Call(t, w.Convert.WriteConversion, &api.WriteConversionRequest{Id: report.Id, Version: 3})
	if text := apptest.ReadFile(t, filepath.Join(w.Root, "digits", "2", "model.onnx")); text != "mine" || written.Version != 3 {
		t.Errorf("version %d: %s", written.Version, text)
	}
	entries, _ := os.ReadDir(filepath.Join(w.Root, "digits"))
	if len(entries) != 5 { // 1, 2, 3, config.pbtxt, labels.txt
		t.Errorf("left: %v", entries)
	}
}

// A model of the same name in another repository is another one: what was made is written or discarded only where its own repository is open.
func TestConversionOfAnotherRepository(t *testing.T) {
	w, _ := converting(t)
	report, err := convertIt(t, w, &api.ConvertRequest{Model: "digits", Target: "fp16"})
	if err != nil {
		t.Fatal(err)
	}
	apptest.Call(t, w.Workspace.OpenRepository, &api.OpenRepositoryRequest{Path: apptest.CopyExamples(t)})
	write := &api.WriteConversionRequest{Id: report.Id, Version: report.Version}
	if told := apptest.Refused(t, w.Convert.WriteConversion, write, connect.CodeFailedPrecondition); !strings.Contains(told, "another repository is open now") {
		t.Error(told)
	}
	discard := &api.DiscardConversionRequest{Id: report.Id}
	if told := apptest.Refused(t, w.Convert.DiscardConversion, discard, connect.CodeFailedPrecondition); !strings.Contains(told, "Open that repository again to discard it") {
		t.Error(told)
	}
	if waiting := apptest.Call(t, w.Convert.DescribeConversion, &api.DescribeConversionRequest{Model: "digits"}).Waiting; len(waiting) != 0 {
		t.Errorf("%v waits", waiting)
	}
	apptest.Call(t, w.Workspace.OpenRepository, &api.OpenRepositoryRequest{Path: w.Root})
	if written := apptest.Call(t, w.Convert.WriteConversion, write); written.Folder != filepath.Join(w.Root, "digits", "2") {
		t.Error(written)
	}
}

// Models that cannot be converted say why.
func TestConversionRefusals(t *testing.T) {
	w, _ := converting(t)
	w.Until(t, "all are ready", apptest.AllReady)
	for model, want := range map[string]string{"read_digit": "is not an ONNX model"} {
		d := apptest.Call(t, w.Convert.DescribeConversion, &api.DescribeConversionRequest{Model: model})
		if !strings.Contains(d.Refused, want) {
			t.Errorf("%s: %v", model, d)
		}
	}
	if _, err := convertIt(t, w, &api.ConvertRequest{Model: "digits", Target: "tensorrt", Becomes: "add_sub", Plan: &api.PlanSettings{Precision: "fp16"}}); err == nil || !strings.Contains(err.Error(), "there is a model add_sub already") {
		t.Errorf("%v", err)
	}
}

// One request, two models: how far the answers agree, what runs each, and how long both take.
func TestCompareAnswers(t *testing.T) {
	w, _ := converting(t)
	if err := os.CopyFS(filepath.Join(w.Root, "other"), os.DirFS(filepath.Join(w.Root, "digits"))); err != nil {
		t.Fatal(err)
	}
	config := apptest.ReadFile(t, filepath.Join(w.Root, "other", "config.pbtxt"))
	apptest.Write(t, filepath.Join(w.Root, "other", "config.pbtxt"), strings.Replace(config, `name: "digits"`, `name: "other"`, 1))
	w.Until(t, "the other is ready", func(s *apptest.Snapshot) bool { return s.State("other") == api.ModelState_MODEL_STATE_READY })
	out := compared(t, w, &api.CompareAnswersRequest{Request: image(5), Model: "other", Runs: 5})
	if out.Runs != 5 || len(out.Outputs) != 1 || out.Outputs[0].Equal != 10 || out.Outputs[0].SameRows != 1 || out.Outputs[0].Absolute != 0 {
		t.Errorf("%v", out)
	}
	if out.First.MedianMs <= 0 || out.Second.MedianMs <= 0 || out.Second.RunsOn != "ONNX Runtime on CPU" || out.Second.Version != "1" {
		t.Errorf("%v", out)
	}
	out = compared(t, w, &api.CompareAnswersRequest{Request: image(5), Model: "add_sub"})
	if out.First.Error != "" || !strings.Contains(out.Second.Error, "expected 2 inputs but got 1") || len(out.Outputs) != 0 {
		t.Errorf("another model: %v", out)
	}
	notCompared(t, w, &api.CompareAnswersRequest{Request: image(5)}, connect.CodeInvalidArgument)
}
