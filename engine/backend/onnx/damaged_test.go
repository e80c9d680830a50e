package onnx_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"conch/engine/backend/onnx"
	"conch/engine/backend/onnx/onnxtest"
)

// damagedVariable makes this test's own process, which has no library open yet, open one.
const damagedVariable = "CONCH_TEST_DAMAGED"

// A library that was cut off, wherever, is refused with a sentence instead of ending the process with SIGBUS.
func TestLibraryThatWasCutOff(t *testing.T) {
	if path := os.Getenv(damagedVariable); path != "" {
		_, err := onnx.New(onnx.Options{Library: path}).Load(context.Background(), specOf(t, onnxtest.AddSub(16).Bytes(), nil))
		fmt.Println("refused:", err)
		return
	}
	library := onnxtest.Library(t)
	if info, err := os.Stat(library); err == nil && info.IsDir() {
		library = filepath.Join(library, "libonnxruntime.so.1")
	}
	whole, err := os.ReadFile(library)
	if err != nil {
		t.Fatal(err)
	}
	for _, left := range []int{0, 3, 40, 64, 4096, len(whole) / 4, len(whole) / 2, len(whole) - 4096, len(whole) - 1} {
		t.Run(fmt.Sprint(left), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "libonnxruntime.so.1")
			if err := os.WriteFile(path, whole[:left], 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(os.Args[0], "-test.run", "^TestLibraryThatWasCutOff$")
			cmd.Env = append(os.Environ(), damagedVariable+"="+path)
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(out), path+" is damaged: ") || !strings.Contains(string(out), "ONNX Runtime… in the menu of the engine, or `conch runtime list`, shows them") {
				t.Errorf("%v\n%.2000s", err, out)
			}
		})
	}
}
