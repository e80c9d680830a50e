package ort

import (
	"os"
	"os/exec"
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
	stub := func(name string, flags ...string) {
		t.Helper()
		cmd := exec.Command("cc", append([]string{"-shared", "-fPIC", "-x", "c", "-o", filepath.Join(dir, name), "-"}, flags...)...)
		cmd.Stdin = strings.NewReader("int stub;")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	stub("libcudart.so.13", "-Wl,-soname,libcudart.so.13")
	stub("libonnxruntime_providers_cuda.so", "-Wl,--no-as-needed", "-Wl,-rpath,$ORIGIN", "-L"+dir, "-l:libcudart.so.13")
	if err := os.Truncate(filepath.Join(dir, "libcudart.so.13"), 4096); err != nil {
		t.Fatal(err)
	}
	if err := checkProviders(dir, "shared", "cuda"); err == nil || !strings.Contains(err.Error(), "libonnxruntime_providers_cuda.so needs, is damaged: ") {
		t.Error(err)
	}
}
