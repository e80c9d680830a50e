package python_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/engine/backend/python"
	"conch/engine/tensor"
)

// The process that ends what models have left behind does not run on the Python that one of them brings.
func TestTheKeeperRunsOnNoModelsPython(t *testing.T) {
	spec := specOf(t, dies, flat(tensor.Bytes))
	bin := filepath.Join(spec.ModelDir, ".venv", "bin")
	if err := os.MkdirAll(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf("#!/bin/sh\nexport OF_THE_MODEL=1\nexec %s \"$@\"\n", interpreter(t))
	if err := os.WriteFile(filepath.Join(bin, "python3"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	in, _ := load(t, spec)
	for what, pid := range map[string]int{"keeper": python.KeeperPid(in), "model": python.Pid(in)} {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(string(text), "OF_THE_MODEL=1"); got != (what == "model") {
			t.Errorf("the %s runs on the model's Python: %v", what, got)
		}
	}
}
