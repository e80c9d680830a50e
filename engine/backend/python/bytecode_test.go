package python_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"conch/engine/backend/backendtest"
	"conch/engine/tensor"
)

// A program and its module that are saved again in the same second, with the same size, run as they were saved last. Bytecode of what was
// saved long ago is kept, since a load would have to compile it each time.
func TestSavedTwiceInASecond(t *testing.T) {
	t.Setenv("PYTHONDONTWRITEBYTECODE", "")
	const program = "import beside\nimport triton_python_backend_utils as pb_utils\n\n\nclass TritonPythonModel:\n    def execute(self, requests):\n" +
		"        return [pb_utils.InferenceResponse([], pb_utils.TritonError(beside.text + 'LETTER')) for _ in requests]\n"
	spec := specOf(t, "", config(backendtest.Shape{Type: tensor.Bytes, Dims: []int64{1}, MaxBatch: 1}, "IN", "OUT"))
	save := func(letter string, at time.Time) {
		t.Helper()
		beside := filepath.Join(spec.VersionDir, "beside.py")
		for path, text := range map[string]string{spec.File: strings.Replace(program, "LETTER", letter, 1), beside: "text = '" + letter + "'\n"} {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(path, at, at); err != nil {
				t.Fatal(err)
			}
		}
	}
	now := time.Now().Add(time.Hour).Truncate(time.Second) // however slow the test is, this is no long time ago
	for _, letter := range []string{"B", "C"} {
		save(letter, now)
		in, _ := load(t, spec)
		if _, err := run(t, in, text("x")); err == nil || err.Error() != letter+letter {
			t.Errorf("it says %v, want %s%s", err, letter, letter)
		}
		_ = in.Close()
	}
	save("D", time.Now().Add(-time.Hour))
	in, _ := load(t, spec)
	_ = in.Close()
	if kept, _ := filepath.Glob(filepath.Join(spec.VersionDir, "__pycache__", "*.pyc")); len(kept) != 2 {
		t.Errorf("bytecode is kept in %v", kept)
	}
}
