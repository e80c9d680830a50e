package backend

import (
	"encoding/binary"
	"math"

	"conch/configedit/modelconfig"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// BatchInputs makes the tensors that describe the batch, one for each target. They reuse the memory of the previous ones.
func (l *Layout) BatchInputs(requests []*infer.Request, before []tensor.Tensor) ([]tensor.Tensor, error) {
	if l == nil {
		return before[:0], nil
	}
	made := before[:0]
	for _, in := range l.inputs {
		d := described{kind: in.Kind}
		for _, r := range requests {
			t, n, err := part(r, in.SourceInput[0])
			if err != nil {
				return before, err
			}
			if err := d.add(t, n); err != nil {
				return before, err
			}
		}
		for _, target := range in.TargetName {
			var memory []byte
			if len(made) < cap(made) {
				memory = made[:len(made)+1][len(made)].Data
			}
			made = append(made, d.tensor(target, tensor.DataType(in.DataType), memory))
		}
	}
	return made, nil
}

// described is the numbers of a batch input.
type described struct {
	kind   modelconfig.BatchInput_Kind
	values []int64
	total  int64 // elements so far
	most   int64
	items  int64
	rank   int64
}

func (d *described) add(t *tensor.Tensor, elements int64) error {
	if d.kind == modelconfig.BatchInput_BATCH_ACCUMULATED_ELEMENT_COUNT_WITH_ZERO && len(d.values) == 0 {
		d.values = append(d.values, 0)
	}
	d.total += elements
	d.most = max(d.most, elements)
	switch d.kind {
	case modelconfig.BatchInput_BATCH_ELEMENT_COUNT:
		d.values = append(d.values, elements)
	case modelconfig.BatchInput_BATCH_ACCUMULATED_ELEMENT_COUNT, modelconfig.BatchInput_BATCH_ACCUMULATED_ELEMENT_COUNT_WITH_ZERO:
		d.values = append(d.values, d.total)
	case modelconfig.BatchInput_BATCH_ITEM_SHAPE, modelconfig.BatchInput_BATCH_ITEM_SHAPE_FLATTEN:
		return d.addItems(t)
	}
	return nil
}

// maxItems limits what a request without data can allocate.
const maxItems = 1 << 24

// addItems adds the shape of each item of a request.
func (d *described) addItems(t *tensor.Tensor) error {
	if len(t.Shape) == 0 {
		return nil
	}
	d.items += t.Shape[0]
	d.rank = int64(len(t.Shape) - 1)
	if d.items > maxItems {
		return infer.Errorf(infer.InvalidArg, "input '%s' has %d items, whose shapes are too many to tell the model", t.Name, d.items)
	}
	for range t.Shape[0] {
		d.values = append(d.values, t.Shape[1:]...)
	}
	return nil
}

// tensor returns the numbers as a tensor.
func (d *described) tensor(name string, t tensor.DataType, memory []byte) tensor.Tensor {
	values, shape := d.values, tensor.Shape{int64(len(d.values))}
	switch d.kind {
	case modelconfig.BatchInput_BATCH_MAX_ELEMENT_COUNT_AS_SHAPE: // only its shape is read
		values, shape = make([]int64, d.most), tensor.Shape{d.most}
	case modelconfig.BatchInput_BATCH_ITEM_SHAPE:
		shape = tensor.Shape{d.items, d.rank}
	}
	data := memory[:0]
	for _, v := range values {
		bits := uint32(v)
		if t == tensor.FP32 {
			bits = math.Float32bits(float32(v))
		}
		data = binary.LittleEndian.AppendUint32(data, bits)
	}
	return tensor.Tensor{Name: name, Type: t, Shape: shape, Data: data}
}
