//go:build unix

package app_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"conch/app"
	"conch/app/apptest"
)

// TestLeftoversOfKilledWorkbenches: what a workbench that was killed left of a conversion and of a comparison, such as a whole model, goes with the
// next start.
func TestLeftoversOfKilledWorkbenches(t *testing.T) {
	data, temp := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temp)
	ended := exec.Command("true")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	of := fmt.Sprintf("-%d-1", ended.Process.Pid)
	left := []string{filepath.Join(data, "conversions", "conversion"+of), filepath.Join(temp, "conch-trial"+of)}
	for _, dir := range left {
		apptest.Write(t, filepath.Join(dir, "in-use.lock"), "")
		apptest.Write(t, filepath.Join(dir, "work", "made", "model.onnx"), "large")
		if err := os.Chtimes(dir, time.Time{}, time.Now().Add(-time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	openWith(t, app.Options{DataDir: data})
	for _, dir := range left {
		if _, err := os.Lstat(dir); err == nil {
			t.Errorf("%s is still there", dir)
		}
	}
}
