package onnx_test

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"conch/engine/backend"
	"conch/engine/backend/onnx/onnxtest"
)

// Models of 16 MB, four at a time as the engine loads them, leave no more behind than the first did.
func TestUnloadGivesMemoryBack(t *testing.T) {
	const side = 2048
	spec := specOf(t, onnxtest.Model{
		Inputs:       []onnxtest.Value{{Name: "X", Type: onnxtest.Float, Dims: onnxtest.Dims("n", side)}},
		Outputs:      []onnxtest.Value{{Name: "Y", Type: onnxtest.Float, Dims: onnxtest.Dims("n", side)}},
		Nodes:        []onnxtest.Node{{Op: "MatMul", Inputs: []string{"X", "W"}, Outputs: []string{"Y"}}},
		Initializers: []onnxtest.Initializer{{Name: "W", Type: onnxtest.Float, Dims: []int64{side, side}, Raw: make([]byte, 4*side*side)}},
	}.Bytes(), nil)
	loadAndClose(t, spec)
	before := residentData(t)
	for range 8 {
		loadAndClose(t, spec)
	}
	if after := residentData(t); after > before+20<<20 {
		t.Errorf("%d MB more than after the first unload", (after-before)>>20)
	}
}

func loadAndClose(t *testing.T, spec backend.Spec) {
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			model, err := newBackend(t).Load(t.Context(), spec)
			if err != nil {
				t.Error(err)
				return
			}
			if err := model.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}

// residentData is the process's memory but for files.
func residentData(t *testing.T) int64 {
	debug.FreeOSMemory()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "RssAnon:")
	var kb int64
	if _, err := fmt.Sscan(rest, &kb); err != nil {
		t.Fatal(err)
	}
	return kb << 10
}
