package runtimes_test

import (
	"os"
	"path/filepath"
	"testing"

	"conch/engine/backend/onnx/runtimes"
)

// TestOthersModulesDoNotRun: asking the Pythons where their modules are runs none that lies in the folder of temporary files, which
// everybody on a machine may write to, or in the folder that Conch was started in.
func TestOthersModulesDoNotRun(t *testing.T) {
	dir := t.TempDir()
	mark := filepath.Join(dir, "ran")
	if err := os.WriteFile(filepath.Join(dir, "json.py"), []byte("open(r'"+mark+"', 'w')\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", dir)
	t.Chdir(dir)
	if len(runtimes.ModuleFolders(t.Context())) == 0 {
		t.Error("no Python says where its modules are")
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("somebody's json.py ran")
	}
}
