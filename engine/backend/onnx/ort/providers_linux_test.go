package ort

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A library of a provider that was not copied to its end would end the process when it is opened.
func TestProvidersThatAreCutOff(t *testing.T) {
	program, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name string, data []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "libonnxruntime_providers_"+name+".so"), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("shared", program)
	if err := checkProviders(dir, "shared", "cuda"); err != nil {
		t.Errorf("a whole library, and one that is not there: %v", err)
	}
	write("cuda", program[:len(program)/2])
	if err := checkProviders(dir, "shared", "cuda"); err == nil || !strings.Contains(err.Error(), "libonnxruntime_providers_cuda.so is damaged: ") {
		t.Error(err)
	}
}
