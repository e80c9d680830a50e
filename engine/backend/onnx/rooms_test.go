package onnx_test

import (
	"bytes"
	"testing"
	"unsafe"

	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/backend/onnx/onnxtest"
	"conch/engine/infer"
	"conch/engine/tensor"
)

const roomElements = 64

// joinedBatches gives each batch twice: its graph tells the shape of its output wrongly.
func joinedBatches() onnxtest.Model {
	value := func(name string) onnxtest.Value {
		return onnxtest.Value{Name: name, Type: onnxtest.Float, Dims: onnxtest.Dims("n", roomElements)}
	}
	return onnxtest.Model{
		Inputs: []onnxtest.Value{value("INPUT")}, Outputs: []onnxtest.Value{value("OUTPUT")},
		Nodes: []onnxtest.Node{{
			Op: "Concat", Inputs: []string{"INPUT", "INPUT"}, Outputs: []string{"OUTPUT"},
			Attributes: map[string]any{"axis": int64(0)},
		}},
	}
}

// loose is an identity whose graph does not tell the shape of its output.
func loose() onnxtest.Model {
	m := onnxtest.Identity(onnxtest.Float, "n", "m")
	m.Outputs[0].Dims = onnxtest.Dims("k", "l")
	return m
}

// An output is made in the memory that its request has for it, where its shape is known before. Otherwise it is in the answer as any other.
func TestRooms(t *testing.T) {
	batching := &modelconfig.ModelConfig{MaxBatchSize: 8}
	for name, c := range map[string]struct {
		model  onnxtest.Model
		config *modelconfig.ModelConfig
		shape  tensor.Shape
		less   int // bytes that are missing in the memory
		odd    int // bytes before it
		there  bool
	}{
		"a fixed shape":      {onnxtest.Identity(onnxtest.Float, roomElements), nil, tensor.Shape{roomElements}, 0, 0, true},
		"a batch":            {onnxtest.Identity(onnxtest.Float, "n", roomElements), batching, tensor.Shape{2, roomElements}, 0, 0, true},
		"more than it needs": {onnxtest.Identity(onnxtest.Float, roomElements), nil, tensor.Shape{roomElements}, -100, 0, true},
		"less than it needs": {onnxtest.Identity(onnxtest.Float, roomElements), nil, tensor.Shape{roomElements}, 4, 0, false},
		"an odd address":     {onnxtest.Identity(onnxtest.Float, roomElements), nil, tensor.Shape{roomElements}, 0, 2, false},
		"named dimensions":   {onnxtest.Identity(onnxtest.Float, "n", "m"), batching, tensor.Shape{2, roomElements}, 0, 0, true},
		"an open shape":      {loose(), batching, tensor.Shape{2, roomElements}, 0, 0, false},
		"another shape":      {joinedBatches(), batching, tensor.Shape{2, roomElements}, 0, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			instance := load(t, c.model, c.config)
			elements, _ := c.shape.Elements()
			for range 2 { // what was learnt by the first
				in := tensor.Tensor{Name: "INPUT", Type: tensor.FP32, Shape: c.shape, Data: bytes.Repeat([]byte{1, 2, 3, 4}, int(elements))}
				room := make([]byte, c.odd+len(in.Data)-c.less)[c.odd:]
				r := request(0, in)
				if len(c.shape) > 1 {
					r.Batch = c.shape[0]
				}
				r.Rooms = map[string][]byte{"OUTPUT": room, "NO OUTPUT": room}
				instance.Execute(t.Context(), backend.NewBatch([]*infer.Request{r}, func(_ int, a *infer.Response) {
					defer a.Release()
					out := a.Outputs[0]
					if there := unsafe.SliceData(out.Data) == unsafe.SliceData(room); there != c.there {
						t.Errorf("it was made in the memory of its request: %v", there)
					}
					if !bytes.Equal(out.Data, in.Data) {
						t.Errorf("%d bytes, want the %d of the input", len(out.Data), len(in.Data))
					}
				}, func(_ int, err error) { t.Error(err) }))
				if !c.there && len(bytes.Trim(room, "\x00")) > 0 {
					t.Error("something was written to the memory")
				}
			}
		})
	}
}

// An output that is an input of the graph is the input's own memory for ONNX Runtime: it is made in no room.
func TestRoomForAnInput(t *testing.T) {
	m := onnxtest.Identity(onnxtest.Float, roomElements)
	m.Outputs = append(m.Outputs, m.Inputs[0])
	instance := load(t, m, nil)
	in := tensor.Tensor{Name: "INPUT", Type: tensor.FP32, Shape: tensor.Shape{roomElements}, Data: bytes.Repeat([]byte{1, 2, 3, 4}, roomElements)}
	r := request(0, in)
	r.Rooms = map[string][]byte{"INPUT": make([]byte, len(in.Data))}
	instance.Execute(t.Context(), backend.NewBatch([]*infer.Request{r}, func(_ int, a *infer.Response) {
		defer a.Release()
		for _, out := range a.Outputs {
			if !bytes.Equal(out.Data, in.Data) {
				t.Errorf("%s has other bytes than the input", out.Name)
			}
		}
		if len(a.Outputs) != 2 {
			t.Errorf("%d outputs", len(a.Outputs))
		}
	}, func(_ int, err error) { t.Error(err) }))
}
