//go:build unix

package app_test

import (
	"encoding/binary"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"conch/app"
	"conch/app/api"
	"conch/app/apptest"
)

// A program that computes with a module which lies beside the models' folders.
const sharingProgram = `
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "common"))

import factors
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        a = pb_utils.get_input_tensor_by_name(requests[0], "INPUT0").as_numpy()
        return [pb_utils.InferenceResponse([pb_utils.Tensor("OUTPUT0", a * factors.factor)])]
`

// A saved module that models share loads these again, and the notice names it. A mistake in it is told; what was loaded before serves.
func TestSharedModuleIsSaved(t *testing.T) {
	apptest.UsePython(t)
	root := apptest.CopyExamples(t)
	module := filepath.Join(root, "common", "factors.py")
	apptest.Write(t, module, "factor = 2\n")
	apptest.Write(t, filepath.Join(root, "checked", "config.pbtxt"), checkedConfig)
	apptest.Write(t, filepath.Join(root, "checked", "1", "model.py"), sharingProgram)
	w := openWith(t, app.Options{Repositories: []string{root}, DataDir: t.TempDir()})
	w.trust(t, api.Access_TRUST_TRUSTED)
	w.Until(t, "it is ready", func(s *apptest.Snapshot) bool { return s.State("checked") == api.ModelState_MODEL_STATE_READY })
	computes := func(factor float32) {
		t.Helper()
		got, failure := askChecked(t, w.Window, "[[1, 0]]")
		if failure != "" || math.Float32frombits(binary.LittleEndian.Uint32([]byte(got))) != factor {
			t.Errorf("it answers %q, %q; want the factor %v", got, failure, factor)
		}
	}
	computes(2)
	for _, step := range []struct {
		text, notice string
		factor       float32
	}{
		{"factor = 10\n", "checked reloaded in", 10},
		{"factor = \n", "checked did not reload, since " + module + " has changed; the earlier load still serves", 10},
		{"factor = 1000\n", "checked reloaded in", 1000},
	} {
		apptest.Write(t, module, step.text)
		w.Until(t, step.notice, func(s *apptest.Snapshot) bool {
			return slices.ContainsFunc(s.Notices, func(text string) bool {
				return strings.HasPrefix(text, step.notice) && strings.Contains(text, "since "+module+" has changed")
			})
		})
		computes(step.factor)
	}
}
