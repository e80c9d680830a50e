//go:build unix

// Package converttest gives tests a Python with a fake of TensorRT, on a machine that has neither TensorRT nor a GPU.
package converttest

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"conch/engine/convert"
)

// UseTensorRT makes a Python that has the packages of another one, the fake of TensorRT's package in a version, and the fake of CUDA's driver, and has
// the test use it. It returns the folder that gets what the builder was told.
func UseTensorRT(t *testing.T, python, version string) (told string) {
	t.Helper()
	_, file, _, _ := runtime.Caller(0)
	fake := filepath.Join(filepath.Dir(file), "..", "..", "backend", "python", "frameworks", "faketensorrt")
	packages, err := exec.Command(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").Output()
	if err != nil {
		t.Fatal(err)
	}
	venv, driver, told := filepath.Join(t.TempDir(), "venv"), t.TempDir(), t.TempDir()
	for _, command := range [][]string{
		{python, "-m", "venv", "--without-pip", venv},
		{"cc", "-shared", "-fPIC", "-o", filepath.Join(driver, "libcuda.so.1"), filepath.Join(fake, "cuda.c")},
	} {
		if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", command, err, out)
		}
	}
	found, _ := filepath.Glob(filepath.Join(venv, "lib", "python3*", "site-packages"))
	if len(found) != 1 {
		t.Fatalf("site-packages: %v", found)
	}
	if err := os.WriteFile(filepath.Join(found[0], "fake.pth"), []byte(string(packages)+fake+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		convert.InterpreterVariable: filepath.Join(venv, "bin", "python3"), "LD_LIBRARY_PATH": driver, "FAKE_GPUS": "1", "FAKE_TENSORRT": version, "FAKE_BUILD": told,
	} {
		t.Setenv(name, value)
	}
	return told
}
