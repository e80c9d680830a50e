//go:build unix

package app_test

import (
	"path/filepath"
	"strings"
	"testing"

	"conch/app"
	"conch/app/api"
	"conch/app/apptest"
	"conch/app/checkcmd"
	"conch/app/language"
	"conch/engine/completed"
)

// What auto_complete_config answers is known to the editor and to `conch check` once it has run, and not before. They have the
// engine's verdict on an ensemble that uses the model, also when the answer is another one.
func TestAnswersOfPythonModels(t *testing.T) {
	apptest.UsePython(t)
	data := t.TempDir()
	t.Setenv("CONCH_DATA_DIR", data)
	root := apptest.CopyExamples(t)
	shapes := filepath.Join(root, "sums", "shapes.py")
	apptest.Write(t, filepath.Join(root, "sums", "config.pbtxt"), "backend: \"python\"\ninstance_group { count: 1 kind: KIND_CPU }\n")
	apptest.Write(t, filepath.Join(root, "sums", "1", "model.py"), `
import triton_python_backend_utils as pb_utils
from shapes import OUTPUT
class TritonPythonModel:
    @staticmethod
    def auto_complete_config(config):
        config.add_input({"name": "IN", "data_type": "TYPE_FP32", "dims": [2]})
        config.add_output({"name": OUTPUT, "data_type": "TYPE_FP32", "dims": [2]})
        return config
    def execute(self, requests):
        return [pb_utils.InferenceResponse([pb_utils.Tensor(OUTPUT, pb_utils.get_input_tensor_by_name(r, "IN").as_numpy())]) for r in requests]
`)
	apptest.Write(t, shapes, "OUTPUT = 'OUT'\n")
	apptest.Write(t, filepath.Join(root, "chain", "config.pbtxt"), `platform: "ensemble"
input { name: "A" data_type: TYPE_FP32 dims: 2 }
output { name: "B" data_type: TYPE_FP32 dims: 2 }
ensemble_scheduling { step { model_name: "sums" model_version: -1 input_map { key: "IN" value: "A" } output_map { key: "RESULT" value: "B" } } }
`)
	apptest.Write(t, filepath.Join(root, "chain", "1", ".keep"), "")
	check := func() (status int, out string) {
		var b strings.Builder
		status = checkcmd.Run(t.Context(), []string{filepath.Join(root, "chain")}, checkcmd.Options{Flags: language.Flags{Answers: completed.Usual()}}, &b)
		return status, b.String()
	}
	w := openWith(t, app.Options{Repositories: []string{root}, DataDir: data})
	s := w.Until(t, "it waits for trust", func(s *apptest.Snapshot) bool { return s.State("sums") == api.ModelState_MODEL_STATE_UNTRUSTED })
	if status, out := check(); s.Models["chain"].Errors > 0 || status != 0 || !strings.Contains(out, "[PY4]") || !strings.Contains(out, "only a run can tell") {
		t.Errorf("before a run: %d errors in the editor, status %d:\n%s", s.Models["chain"].Errors, status, out)
	}
	w.trust(t, api.Access_TRUST_TRUSTED)
	w.Until(t, "the editor knows the answer, and the engine refuses the ensemble", func(s *apptest.Snapshot) bool {
		return s.Models["chain"].Errors > 0 && s.State("chain") == api.ModelState_MODEL_STATE_FAILED
	})
	if status, out := check(); status != 1 || !strings.Contains(out, "RESULT") || strings.Contains(out, "PY4") {
		t.Errorf("after a run: status %d:\n%s", status, out)
	}
	effective := apptest.Call(t, w.Models.GetEffectiveConfig, &api.GetEffectiveConfigRequest{Name: "sums"})
	var reasons strings.Builder
	for _, f := range effective.Filled {
		reasons.WriteString(f.Path + ": " + f.Reason + "\n")
	}
	if !strings.Contains(effective.Text, `name: "OUT"`) || !strings.Contains(reasons.String(), "output[0]: auto_complete_config of model.py, last run on 2") {
		t.Errorf("effective config:\n%s\n%s", effective.Text, reasons.String())
	}
	apptest.Write(t, shapes, "OUTPUT = 'RESULT'\n")
	w.Until(t, "the editor knows the new answer, and the ensemble serves", func(s *apptest.Snapshot) bool {
		return s.Models["chain"].Errors == 0 && s.State("chain") == api.ModelState_MODEL_STATE_READY
	})
	if status, out := check(); status != 0 {
		t.Errorf("after the second run: status %d:\n%s", status, out)
	}
}
