package backendtest

import (
	"encoding/binary"
	"math"
	"testing"

	"conch/configedit/modelconfig"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// raggedCase is a kind of batch input and its part for each of three requests with the shapes [1,3], [1,2], [2,4].
type raggedCase struct {
	kind  modelconfig.BatchInput_Kind
	shape tensor.Shape // of one row, behind the batch dimension
	rows  [3][]float32
}

var raggedCases = []raggedCase{
	{modelconfig.BatchInput_BATCH_ELEMENT_COUNT, nil, [3][]float32{{3}, {2}, {8}}},
	{modelconfig.BatchInput_BATCH_ACCUMULATED_ELEMENT_COUNT, nil, [3][]float32{{3}, {5}, {13}}},
	{modelconfig.BatchInput_BATCH_ACCUMULATED_ELEMENT_COUNT_WITH_ZERO, nil, [3][]float32{{0}, {3}, {5, 13}}},
	{modelconfig.BatchInput_BATCH_MAX_ELEMENT_COUNT_AS_SHAPE, nil, [3][]float32{{0}, {0}, {0, 0}}},
	{modelconfig.BatchInput_BATCH_ITEM_SHAPE, tensor.Shape{1}, [3][]float32{{3}, {2}, {4, 4}}},
	{modelconfig.BatchInput_BATCH_ITEM_SHAPE_FLATTEN, nil, [3][]float32{{3}, {2}, {4, 4}}},
}

// testRagged: requests of different lengths run together, and each gets its own part back, by the shape of its own input. The
// model gets every kind of batch input. The same holds for a batch of one.
func testRagged(t *testing.T, s Subject) {
	if s.Ragged == nil {
		return
	}
	for _, c := range raggedCases {
		for _, dt := range []tensor.DataType{tensor.Int32, tensor.FP32} {
			t.Run(c.kind.String()+" "+dt.String(), func(t *testing.T) { c.test(t, s, dt) })
		}
	}
}

func (c *raggedCase) test(t *testing.T, s Subject, dt tensor.DataType) {
	in := load(t, s, s.Ragged(t, c.config(dt))).Instance
	requests := []*infer.Request{
		request("IN", tensor.FP32, tensor.Shape{1, 3}, 1), request("IN", tensor.FP32, tensor.Shape{1, 2}, 50), request("IN", tensor.FP32, tensor.Shape{2, 4}, 99),
	}
	if c.kind == modelconfig.BatchInput_BATCH_ELEMENT_COUNT || c.kind == modelconfig.BatchInput_BATCH_ACCUMULATED_ELEMENT_COUNT {
		requests[2].Batch, requests[2].Inputs[0].Shape = 1, tensor.Shape{1, 8} // one number for each request
	}
	for i, a := range execute(t.Context(), t, in, requests...) {
		wantCopy(t, a, "OUT", requests[i].Inputs[0])
		shape := append(tensor.Shape{requests[i].Batch}, c.shape...)
		wantCopy(t, a, "SEEN", numbers("SEEN", dt, shape, c.rows[i]))
	}
	for i, a := range execute(t.Context(), t, in, requests[0]) {
		wantCopy(t, a, "OUT", requests[i].Inputs[0])
		wantCopy(t, a, "SEEN", numbers("SEEN", dt, append(tensor.Shape{1}, c.shape...), c.rows[0]))
	}
}

// config returns a config with a ragged input that an output scatters again, and with a batch input as rows.
func (c *raggedCase) config(dt tensor.DataType) *modelconfig.ModelConfig {
	seen := &modelconfig.ModelOutput{Name: "SEEN", DataType: modelconfig.DataType(dt), Dims: []int64{1}}
	if c.shape == nil {
		seen.Reshape = &modelconfig.ModelTensorReshape{}
	}
	return &modelconfig.ModelConfig{
		MaxBatchSize: 8,
		Input:        []*modelconfig.ModelInput{{Name: "IN", DataType: modelconfig.DataType_TYPE_FP32, Dims: []int64{-1}, AllowRaggedBatch: true}},
		Output:       []*modelconfig.ModelOutput{{Name: "OUT", DataType: modelconfig.DataType_TYPE_FP32, Dims: []int64{-1}}, seen},
		BatchInput: []*modelconfig.BatchInput{{
			Kind: c.kind, DataType: modelconfig.DataType(dt), TargetName: []string{"BATCH"}, SourceInput: []string{"IN"},
		}},
		BatchOutput: []*modelconfig.BatchOutput{{TargetName: []string{"OUT"}, SourceInput: []string{"IN"}}},
	}
}

// numbers makes a tensor of small numbers.
func numbers(name string, dt tensor.DataType, shape tensor.Shape, values []float32) tensor.Tensor {
	var data []byte
	for _, v := range values {
		bits := uint32(int32(v))
		if dt == tensor.FP32 {
			bits = math.Float32bits(v)
		}
		data = binary.LittleEndian.AppendUint32(data, bits)
	}
	return tensor.Tensor{Name: name, Type: dt, Shape: shape, Data: data}
}
