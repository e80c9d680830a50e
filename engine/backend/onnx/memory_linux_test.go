package onnx_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"conch/engine/backend"
	"conch/engine/backend/onnx/onnxtest"
	"conch/engine/tensor"
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

// The strings that ONNX Runtime makes of an input take what StringsSize says, never more, whatever their length.
func TestStringsTakeWhatIsCounted(t *testing.T) {
	const much, slack = 64 << 20, 4 << 20
	b := newBackend(t)
	model, err := b.Load(t.Context(), specOf(t, onnxtest.Model{ // it answers with the input's shape alone
		Inputs:  []onnxtest.Value{{Name: "INPUT", Type: onnxtest.String, Dims: onnxtest.Dims("n")}},
		Outputs: []onnxtest.Value{{Name: "SIZE", Type: onnxtest.Int64, Dims: onnxtest.Dims(1)}},
		Nodes:   []onnxtest.Node{{Op: "Shape", Inputs: []string{"INPUT"}, Outputs: []string{"SIZE"}}},
	}.Bytes(), nil))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { model.Close() })
	instance := instanceOf(t, model)
	for _, c := range []struct {
		length int
		least  int64 // percent of what is counted
	}{{0, 95}, {1, 90}, {15, 40}, {16, 95}, {30, 80}, {31, 80}, {40, 90}, {200, 90}, {4000, 90}} {
		elements := much / (32 + c.length)
		element := string(binary.LittleEndian.AppendUint32(nil, uint32(c.length))) + strings.Repeat("x", c.length)
		input := tensor.Tensor{Name: "INPUT", Type: tensor.Bytes, Shape: tensor.Shape{int64(elements)}, Data: []byte(strings.Repeat(element, elements))}
		b.ReleaseMemory()
		debug.FreeOSMemory()
		if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil { // the peak begins again
			t.Fatal(err)
		}
		before := status(t, "VmHWM:")
		out := run(t.Context(), t, instance, request(0, input))[0]
		if out.err != nil {
			t.Fatal(out.err)
		}
		out.response.Release()
		took, counted := status(t, "VmHWM:")-before, input.StringsSize()
		if took > counted+slack || took < counted*c.least/100-slack {
			t.Errorf("strings of %d bytes take %d bytes each, and %d are counted", c.length, took/int64(elements), counted/int64(elements))
		}
	}
}

// residentData is the process's memory but for files.
func residentData(t *testing.T) int64 {
	debug.FreeOSMemory()
	return status(t, "RssAnon:")
}

// status is a line of this process's status, in bytes.
func status(t *testing.T, key string) int64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), key)
	var kb int64
	if _, err := fmt.Sscan(rest, &kb); err != nil {
		t.Fatal(err)
	}
	return kb << 10
}
