//go:build unix

package app_test

import (
	"path/filepath"
	"testing"

	"conch/app"
	"conch/app/api"
	"conch/app/apptest"
)

// A program that holds 100 MB.
const holdingProgram = `
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def initialize(self, args):
        self.held = b"x" * 100_000_000

    def execute(self, requests):
        a = pb_utils.get_input_tensor_by_name(requests[0], "INPUT0").as_numpy()
        return [pb_utils.InferenceResponse([pb_utils.Tensor("OUTPUT0", a)])]
`

// The engine's memory, from which an export chooses a container's limit, has that of Python models, which have processes of
// their own.
func TestMemoryOfPythonModelsCounts(t *testing.T) {
	apptest.UsePython(t)
	root := t.TempDir()
	dir := filepath.Join(root, "checked")
	apptest.Write(t, filepath.Join(dir, "config.pbtxt"), checkedConfig)
	apptest.Write(t, filepath.Join(dir, "1", "model.py"), holdingProgram)
	w := openWith(t, app.Options{Repositories: []string{root}, DataDir: t.TempDir()})
	w.trust(t, api.Access_TRUST_TRUSTED)
	w.Until(t, "its memory counts", func(s *apptest.Snapshot) bool { return s.Engine.GetMemoryBytes() > 100_000_000 })
}
