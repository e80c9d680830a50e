package rpc_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"conch/app"
	"conch/app/api"
	"conch/app/apptest"
)

// The answer to a failed request of an ensemble says which step failed, and why, beside the steps before it.
func TestFailedStep(t *testing.T) {
	apptest.UsePython(t)
	root := filepath.Join(t.TempDir(), "repository")
	program := func(body string) string {
		return "import triton_python_backend_utils as pb_utils\n\n\nclass TritonPythonModel:\n    def execute(self, requests):\n" + body
	}
	tensors := "input [ { name: \"IN\" data_type: TYPE_FP32 dims: [ 1 ] } ]\noutput [ { name: \"OUT\" data_type: TYPE_FP32 dims: [ 1 ] } ]\n"
	for name, body := range map[string]string{
		"first":  "        return [pb_utils.InferenceResponse([pb_utils.Tensor(\"OUT\", pb_utils.get_input_tensor_by_name(r, \"IN\").as_numpy())]) for r in requests]\n",
		"second": "        raise ValueError(\"no such page\")\n",
	} {
		apptest.Write(t, filepath.Join(root, name, "config.pbtxt"), "backend: \"python\"\n"+tensors)
		apptest.Write(t, filepath.Join(root, name, "1", "model.py"), program(body))
	}
	apptest.Write(t, filepath.Join(root, "pair", "1", ".keep"), "")
	apptest.Write(t, filepath.Join(root, "pair", "config.pbtxt"), "platform: \"ensemble\"\n"+tensors+`ensemble_scheduling { step [
  { model_name: "first" model_version: -1 input_map { key: "IN" value: "IN" } output_map { key: "OUT" value: "between" } },
  { model_name: "second" model_version: -1 input_map { key: "IN" value: "between" } output_map { key: "OUT" value: "OUT" } }
] }
`)
	w := apptest.OpenWith(t, app.Options{Repositories: []string{root}, Trust: true})
	w.Until(t, "it is ready", func(s *apptest.Snapshot) bool { return s.State("pair") == api.ModelState_MODEL_STATE_READY })
	out := apptest.Call(t, w.Try.Infer, &api.InferRequest{Model: "pair", Inputs: []*api.InferInput{
		{Name: "IN", Datatype: "FP32", Shape: []int64{1}, Data: &api.InferInput_Json{Json: "[1]"}},
	}})
	if out.Ok || len(out.Steps) != 2 {
		t.Fatalf("the answer is %v", out)
	}
	if first := out.Steps[0]; first.Model != "first" || first.Span.Error != "" || first.Timings.TotalNs == 0 {
		t.Errorf("the first step is %v", first)
	}
	if second := out.Steps[1]; second.Model != "second" || !strings.Contains(second.Span.Error, "no such page") || !strings.Contains(out.Error, second.Span.Error) {
		t.Errorf("the second step is %v, the error %q", second, out.Error)
	}
}

// A model that refuses what a step gives it, before it runs, is told as the step that failed too.
func TestRefusedStep(t *testing.T) {
	apptest.UsePython(t)
	root := filepath.Join(t.TempDir(), "repository")
	tensor := func(of string, dims int) string {
		return fmt.Sprintf("%s [ { name: \"T\" data_type: TYPE_FP32 dims: [ %d ] } ]\n", of, dims)
	}
	program := `import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        tensors = [pb_utils.get_input_tensor_by_name(r, "T").as_numpy() for r in requests]
        return [pb_utils.InferenceResponse([pb_utils.Tensor("T", t)]) for t in tensors]
`
	for name, takes := range map[string]int{"any": -1, "one": 1} {
		apptest.Write(t, filepath.Join(root, name, "config.pbtxt"), "backend: \"python\"\n"+tensor("input", takes)+tensor("output", -1))
		apptest.Write(t, filepath.Join(root, name, "1", "model.py"), program)
	}
	apptest.Write(t, filepath.Join(root, "pair", "1", ".keep"), "")
	apptest.Write(t, filepath.Join(root, "pair", "config.pbtxt"), `platform: "ensemble"
input [ { name: "IN" data_type: TYPE_FP32 dims: [ -1 ] } ]
output [ { name: "OUT" data_type: TYPE_FP32 dims: [ -1 ] } ]
ensemble_scheduling { step [
  { model_name: "any" model_version: -1 input_map { key: "T" value: "IN" } output_map { key: "T" value: "between" } },
  { model_name: "one" model_version: -1 input_map { key: "T" value: "between" } output_map { key: "T" value: "OUT" } }
] }
`)
	w := apptest.OpenWith(t, app.Options{Repositories: []string{root}, Trust: true})
	w.Until(t, "it is ready", func(s *apptest.Snapshot) bool { return s.State("pair") == api.ModelState_MODEL_STATE_READY })
	out := apptest.Call(t, w.Try.Infer, &api.InferRequest{Model: "pair", Inputs: []*api.InferInput{
		{Name: "IN", Datatype: "FP32", Shape: []int64{2}, Data: &api.InferInput_Json{Json: "[1, 2]"}},
	}})
	if out.Ok || len(out.Steps) != 2 {
		t.Fatalf("the answer is %v", out)
	}
	first, second := out.Steps[0], out.Steps[1]
	if first.Model != "any" || first.Span.Error != "" || first.Timings.TotalNs == 0 {
		t.Errorf("the first step is %v", first)
	}
	if second.Model != "one" || second.Step != 1 || second.Span.Error == "" || !strings.Contains(out.Error, second.Span.Error) || second.Timings.TotalNs != 0 {
		t.Errorf("the second step is %v, the error %q", second, out.Error)
	}
	if second.StartNs < first.StartNs || second.Span.EndedNs < second.StartNs {
		t.Errorf("the second step was refused from %d to %d ns, the first began at %d", second.StartNs, second.Span.EndedNs, first.StartNs)
	}
}
