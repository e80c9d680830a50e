package onnx_test

import (
	"os"
	"path/filepath"
	"testing"

	"conch/build/fulldisk"
	"conch/engine/backend/onnx"
)

// A disk that gets full while the optimized model is written is the same to its writer as files that may not grow: what was
// written so far is there, the rest is refused. The model loads anyway, and nothing half is taken for whole.
func TestDiskGetsFullWhileKeeping(t *testing.T) {
	dir, spec := filepath.Join(t.TempDir(), "kept"), squareSpec(t)
	want, _ := answerOf(t, newBackend(t), spec)
	b := keeping(t, dir, onnx.Settings{})
	func() {
		defer fulldisk.LimitFiles(t, 3<<20)()
		if got, _ := answerOf(t, b, spec); got != want {
			t.Error("another answer while the disk is full")
		}
		b.Close()
	}()
	for range 2 {
		if got, _ := answerOf(t, b, spec); got != want {
			t.Error("another answer when there is room again")
		}
		b.Close()
	}
	for _, entry := range kept(t, dir) {
		info, err := os.Stat(filepath.Join(entry, "weights.bin"))
		if err != nil || info.Size() < 4*squareSide*squareSide {
			t.Errorf("%s is half: %v", entry, err)
		}
	}
}
