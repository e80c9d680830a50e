package rpc_test

import (
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
