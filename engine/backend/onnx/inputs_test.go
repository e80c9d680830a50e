package onnx_test

import (
	"os"
	"path/filepath"
	"testing"

	"conch/configedit/modelconfig"
	"conch/engine/backend/onnx/onnxtest"
	"conch/engine/tensor"
)

// overridable adds W to X; W is 100, 200 unless a request says otherwise.
func overridable() onnxtest.Model {
	pair := onnxtest.Dims(2)
	return onnxtest.Model{
		Inputs:       []onnxtest.Value{{Name: "X", Type: onnxtest.Int32, Dims: pair}, {Name: "W", Type: onnxtest.Int32, Dims: pair}},
		Outputs:      []onnxtest.Value{{Name: "Y", Type: onnxtest.Int32, Dims: pair}},
		Initializers: []onnxtest.Initializer{{Name: "W", Type: onnxtest.Int32, Dims: []int64{2}, Raw: ints("", nil, 100, 200).Data}},
		Nodes:        []onnxtest.Node{{Op: "Add", Inputs: []string{"X", "W"}, Outputs: []string{"Y"}}},
	}
}

func TestOptionalInputIsAnOverridableInitializer(t *testing.T) {
	cfg := &modelconfig.ModelConfig{
		Name: "m", Backend: "onnxruntime",
		Input: []*modelconfig.ModelInput{
			{Name: "X", DataType: modelconfig.DataType_TYPE_INT32, Dims: []int64{2}},
			{Name: "W", DataType: modelconfig.DataType_TYPE_INT32, Dims: []int64{2}, Optional: true},
		},
		Output: []*modelconfig.ModelOutput{{Name: "Y", DataType: modelconfig.DataType_TYPE_INT32, Dims: []int64{2}}},
	}
	instance := load(t, overridable(), cfg)
	x, w := ints("X", tensor.Shape{2}, 1, 2), ints("W", tensor.Shape{2}, 10, 20)
	for want, inputs := range map[string][]tensor.Tensor{
		"Y INT32 [2] 65000000ca000000": {x}, "Y INT32 [2] 0b00000016000000": {x, w},
	} {
		if got := show(one(t, instance, request(0, inputs...)).Output("Y")); got != want {
			t.Errorf("%d inputs: got %s, want %s", len(inputs), got, want)
		}
	}
	// The one before has not changed what the model holds.
	if got := show(one(t, instance, request(0, x)).Output("Y")); got != "Y INT32 [2] 65000000ca000000" {
		t.Errorf("without the optional input again: %s", got)
	}
}

// A model whose weights take 2.4 GB on paper: they lie in a file with a hole, of which only what is read is ever in memory.
func TestModelOfMoreThanTwoGigabytes(t *testing.T) {
	const width, height = 1024, 600_000
	m := onnxtest.Model{
		Inputs:       []onnxtest.Value{{Name: "I", Type: onnxtest.Int64, Dims: onnxtest.Dims("n")}},
		Outputs:      []onnxtest.Value{{Name: "Y", Type: onnxtest.Float, Dims: onnxtest.Dims("n", width)}},
		Initializers: []onnxtest.Initializer{{Name: "W", Type: onnxtest.Float, Dims: []int64{height, width}, External: "weights.bin"}},
		Nodes:        []onnxtest.Node{{Op: "Gather", Inputs: []string{"W", "I"}, Outputs: []string{"Y"}}},
	}
	spec := specOf(t, m.Bytes(), &modelconfig.ModelConfig{})
	file, err := os.Create(filepath.Join(spec.VersionDir, "weights.bin"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := file.Truncate(4 * width * height); err != nil {
		t.Fatal(err)
	}
	last := floats("", nil, 7)
	if _, err := file.WriteAt(last.Data, 4*width*(height-1)); err != nil {
		t.Fatal(err)
	}
	instance := instanceOf(t, loadSpec(t, spec))
	at := tensor.Tensor{Name: "I", Type: tensor.Int64, Shape: tensor.Shape{1}, Data: []byte{0xbf, 0x27, 0x09, 0, 0, 0, 0, 0}}
	out := one(t, instance, request(0, at)).Output("Y")
	if string(out.Data[:4]) != string(last.Data) || len(out.Data) != 4*width {
		t.Errorf("got %x… of %d bytes", out.Data[:8], len(out.Data))
	}
}
