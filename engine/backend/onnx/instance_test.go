package onnx_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/backend/onnx/onnxtest"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// elements pairs ONNX's element types with ours.
var elements = map[tensor.DataType]int{
	tensor.Bool: onnxtest.Bool, tensor.Uint8: onnxtest.Uint8, tensor.Uint16: onnxtest.Uint16,
	tensor.Uint32: onnxtest.Uint32, tensor.Uint64: onnxtest.Uint64, tensor.Int8: onnxtest.Int8,
	tensor.Int16: onnxtest.Int16, tensor.Int32: onnxtest.Int32, tensor.Int64: onnxtest.Int64,
	tensor.FP16: onnxtest.Float16, tensor.FP32: onnxtest.Float, tensor.FP64: onnxtest.Double,
	tensor.Bytes: onnxtest.String, tensor.BF16: onnxtest.BFloat16,
}

func TestIdentityOfEveryType(t *testing.T) {
	for kind, elem := range elements {
		t.Run(kind.String(), func(t *testing.T) {
			instance := load(t, onnxtest.Identity(elem, 2, 3), nil)
			in := patterned(kind, tensor.Shape{2, 3})
			out := one(t, instance, request(0, in)).Output("OUTPUT")
			want := in
			want.Name = "OUTPUT"
			if show(out) != show(&want) {
				t.Errorf("got  %s\nwant %s", show(out), show(&want))
			}
		})
	}
}

// patterned is a tensor with a different byte everywhere; of BYTES with NULs and an empty string.
func patterned(kind tensor.DataType, shape tensor.Shape) tensor.Tensor {
	if kind == tensor.Bytes {
		return words("INPUT", shape, "a\x00b", "", "\x00", "ünï", strings.Repeat("long", 300), "\xff\xfe")
	}
	size, _ := shape.ByteSize(kind)
	data := make([]byte, size)
	for i := range data {
		data[i] = byte(i*7 + 1)
		if kind == tensor.Bool {
			data[i] = byte(i % 2)
		}
	}
	return tensor.Tensor{Name: "INPUT", Type: kind, Shape: shape, Data: data}
}

func TestEmptyTensors(t *testing.T) {
	for _, kind := range []tensor.DataType{tensor.FP32, tensor.Bytes} {
		instance := load(t, onnxtest.Identity(elements[kind], 3, "n"), nil)
		in := tensor.Tensor{Name: "INPUT", Type: kind, Shape: tensor.Shape{3, 0}}
		out := one(t, instance, request(0, in)).Output("OUTPUT")
		if got, want := show(out), fmt.Sprintf("OUTPUT %s [3,0] ", kind); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestScalars(t *testing.T) {
	instance := load(t, onnxtest.Identity(onnxtest.Int32), nil)
	out := one(t, instance, request(0, ints("INPUT", tensor.Shape{1}, 7))).Output("OUTPUT")
	if got, want := show(out), "OUTPUT INT32 [1] 07000000"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestShapeKnownOnlyAfterTheRun(t *testing.T) {
	instance := load(t, onnxtest.NonZero(), &modelconfig.ModelConfig{
		Input:  []*modelconfig.ModelInput{{Name: "INPUT", DataType: modelconfig.DataType_TYPE_FP32, Dims: []int64{-1}}},
		Output: []*modelconfig.ModelOutput{{Name: "OUTPUT", DataType: modelconfig.DataType_TYPE_INT64, Dims: []int64{1, -1}}},
	})
	out := one(t, instance, request(0, floats("INPUT", tensor.Shape{4}, 0, 5, 0, 6))).Output("OUTPUT")
	if got, want := show(out), "OUTPUT INT64 [1,2] 01000000000000000300000000000000"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func floats(name string, shape tensor.Shape, values ...float32) tensor.Tensor {
	data := make([]byte, 0, 4*len(values))
	for _, v := range values {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
	}
	return tensor.Tensor{Name: name, Type: tensor.FP32, Shape: shape, Data: data}
}

func TestOnlyWantedOutputs(t *testing.T) {
	instance := load(t, onnxtest.AddSub(2), nil)
	r := request(0, ints("INPUT0", tensor.Shape{2}, 5, 6), ints("INPUT1", tensor.Shape{2}, 1, 2))
	r.Outputs = []infer.RequestedOutput{{Name: "OUTPUT1"}}
	response := one(t, instance, r)
	if len(response.Outputs) != 1 || show(response.Output("OUTPUT1")) != "OUTPUT1 INT32 [2] 0400000004000000" {
		t.Errorf("got %v", response.Outputs)
	}
}

// Outputs have the order of their names, whatever that of the config is.
func TestOrderOfOutputs(t *testing.T) {
	output := func(name string) *modelconfig.ModelOutput {
		return &modelconfig.ModelOutput{Name: name, DataType: modelconfig.DataType_TYPE_INT32, Dims: []int64{2}}
	}
	instance := load(t, onnxtest.AddSub(2), &modelconfig.ModelConfig{
		Output: []*modelconfig.ModelOutput{output("OUTPUT1"), output("OUTPUT0")},
	})
	r := request(0, ints("INPUT0", tensor.Shape{2}, 5, 6), ints("INPUT1", tensor.Shape{2}, 1, 2))
	response := one(t, instance, r)
	if len(response.Outputs) != 2 || show(&response.Outputs[0]) != "OUTPUT0 INT32 [2] 0600000008000000" ||
		show(&response.Outputs[1]) != "OUTPUT1 INT32 [2] 0400000004000000" {
		t.Errorf("got %v", response.Outputs)
	}
}

func TestUnalignedInputs(t *testing.T) {
	instance := load(t, onnxtest.Identity(onnxtest.Double, 2), nil)
	buffer := make([]byte, 17)
	for i := range buffer {
		buffer[i] = byte(i)
	}
	for offset := range 2 {
		in := tensor.Tensor{Name: "INPUT", Type: tensor.FP64, Shape: tensor.Shape{2}, Data: buffer[offset : offset+16]}
		out := one(t, instance, request(0, in)).Output("OUTPUT")
		if string(out.Data) != string(in.Data) {
			t.Errorf("offset %d: got %x, want %x", offset, out.Data, in.Data)
		}
	}
}

func TestBatchIsJoinedAndSplit(t *testing.T) {
	instance := load(t, onnxtest.AddSub("batch", 2), nil)
	a := request(1, ints("INPUT0", tensor.Shape{1, 2}, 1, 2), ints("INPUT1", tensor.Shape{1, 2}, 10, 20))
	// The order of inputs is the client's business.
	b := request(2, ints("INPUT1", tensor.Shape{2, 2}, 1, 1, 1, 1), ints("INPUT0", tensor.Shape{2, 2}, 3, 4, 5, 6))
	b.Outputs = []infer.RequestedOutput{{Name: "OUTPUT0"}}
	outcomes := run(context.Background(), t, instance, a, b)
	for _, o := range outcomes {
		if o.err != nil {
			t.Fatal(o.err)
		}
	}
	got := []string{
		show(outcomes[0].response.Output("OUTPUT0")), show(outcomes[0].response.Output("OUTPUT1")),
		show(outcomes[1].response.Output("OUTPUT0")), show(outcomes[1].response.Output("OUTPUT1")),
	}
	want := []string{
		"OUTPUT0 INT32 [1,2] 0b00000016000000", "OUTPUT1 INT32 [1,2] f7ffffffeeffffff",
		"OUTPUT0 INT32 [2,2] 04000000050000000600000007000000", "absent",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	outcomes[0].response.Release()
	if got := show(outcomes[1].response.Output("OUTPUT0")); got != want[2] {
		t.Errorf("the other answer's release changed it to %s", got)
	}
	outcomes[1].response.Release()
	outcomes[1].response.Release() // a second one does no harm
}

func TestBatchOfStrings(t *testing.T) {
	instance := load(t, onnxtest.Identity(onnxtest.String, "batch", 2), nil)
	outcomes := run(context.Background(), t, instance,
		request(1, words("INPUT", tensor.Shape{1, 2}, "a\x00", "")),
		request(2, words("INPUT", tensor.Shape{2, 2}, "bb", "ccc", "", "d")))
	for i, want := range []tensor.Tensor{
		words("OUTPUT", tensor.Shape{1, 2}, "a\x00", ""), words("OUTPUT", tensor.Shape{2, 2}, "bb", "ccc", "", "d"),
	} {
		if got := show(outcomes[i].response.Output("OUTPUT")); got != show(&want) {
			t.Errorf("got  %s\nwant %s", got, show(&want))
		}
		outcomes[i].response.Release()
	}
}

// A run that fails is none of the model's executions; one that gives answers is (docs/triton/metrics.md, "What counts as what").
func TestFailedRunIsNoExecution(t *testing.T) {
	instance := load(t, onnxtest.AddSub(2), nil)
	for size, counts := range map[int64]bool{2: true, 3: false} {
		input := func(name string) tensor.Tensor { return ints(name, tensor.Shape{size}, []int32{1, 2, 3}[:size]...) }
		batch := backend.NewBatch([]*infer.Request{request(0, input("INPUT0"), input("INPUT1"))},
			func(_ int, r *infer.Response) { t.Cleanup(r.Release) }, func(int, error) {})
		batch.Start()
		instance.Execute(t.Context(), batch)
		if batch.Counts() != counts {
			t.Errorf("%d values: counts %t, want %t", size, batch.Counts(), counts)
		}
	}
}

func TestBadRequestsFailAlone(t *testing.T) {
	instance := load(t, onnxtest.AddSub(2), nil)
	good := []tensor.Tensor{ints("INPUT0", tensor.Shape{2}, 5, 6), ints("INPUT1", tensor.Shape{2}, 1, 2)}
	cases := map[string]struct {
		input tensor.Tensor
		want  string
	}{
		"short data":    {tensor.Tensor{Name: "INPUT1", Type: tensor.Int32, Shape: tensor.Shape{2}, Data: []byte{1}}, "has 1 bytes"},
		"wrong type":    {floats("INPUT1", tensor.Shape{2}, 1, 2), "onnx runtime error 2: Unexpected input data type"},
		"wrong shape":   {ints("INPUT1", tensor.Shape{3}, 1, 2, 3), "onnx runtime error 2: "},
		"unknown input": {ints("INPUT9", tensor.Shape{2}, 1, 2), "unexpected inference input 'INPUT9'"},
		"huge shape": {tensor.Tensor{Name: "INPUT1", Type: tensor.Int32, Shape: tensor.Shape{1 << 40, 1 << 40}},
			"impossible shape"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			out := run(context.Background(), t, instance, request(0, good[0], c.input))[0]
			if out.err == nil || !strings.Contains(out.err.Error(), c.want) {
				t.Errorf("got %v, want %q", out.err, c.want)
			}
			one(t, instance, request(0, good...))
		})
	}
}

func TestInputsGivenTwice(t *testing.T) {
	instance := load(t, onnxtest.AddSub(1), nil)
	in := ints("INPUT0", tensor.Shape{1}, 1)
	for _, inputs := range [][]tensor.Tensor{{in, in}, {in, in, in}} {
		if out := run(context.Background(), t, instance, request(0, inputs...))[0]; out.err == nil {
			t.Errorf("%d times the same input was taken", len(inputs))
		}
	}
}

func TestOutputsListedTwice(t *testing.T) {
	cfg := addSubConfig(func(cfg *modelconfig.ModelConfig) {
		cfg.Output[1].Name = "OUTPUT0"
		cfg.Output = append(cfg.Output, cfg.Output[0])
	})
	instance := load(t, onnxtest.AddSub(16), cfg)
	response := one(t, instance, addSubRequest(0, 16))
	if len(response.Outputs) != 1 {
		t.Errorf("got %d outputs", len(response.Outputs))
	}
}

func TestBadStrings(t *testing.T) {
	instance := load(t, onnxtest.Identity(onnxtest.String, "n"), &modelconfig.ModelConfig{
		Input:  []*modelconfig.ModelInput{{Name: "INPUT", DataType: modelconfig.DataType_TYPE_STRING, Dims: []int64{-1}}},
		Output: []*modelconfig.ModelOutput{{Name: "OUTPUT", DataType: modelconfig.DataType_TYPE_STRING, Dims: []int64{-1}}},
	})
	long := words("INPUT", tensor.Shape{1}, "abc")
	long.Data[0] = 200
	more := words("INPUT", tensor.Shape{1}, "abc", "d")
	few := words("INPUT", tensor.Shape{2}, "abcdefgh")
	many := words("INPUT", tensor.Shape{1 << 40}, "abc")
	for _, in := range []tensor.Tensor{long, more, few, many} {
		if out := run(context.Background(), t, instance, request(0, in))[0]; out.err == nil {
			t.Errorf("%s was taken", show(&in))
		}
	}
}
