package model

import (
	"encoding/binary"
	"math"
	"slices"
	"strconv"

	"conch/engine/infer"
	"conch/engine/tensor"
)

// maxClassified is the largest number of elements that a classified tensor may have
// (docs/triton/requests.md, "Classification").
const maxClassified = 1_000_000

// classify replaces an output by its highest values, each as "value:index" or
// "value:index:label" (docs/triton/requests.md, "Classification"). All dimensions after the batch
// dimension count as one row.
func classify(out *tensor.Tensor, batching bool, top uint32, label func(class int) string) error {
	if !classifiable(out.Type) {
		return infer.Errorf(infer.InvalidArg, "class result not available for output due to unsupported type '%s'", out.Type)
	}
	elements, _ := out.Shape.Elements()
	rows := int64(1)
	if batching && len(out.Shape) > 0 {
		rows = out.Shape[0]
	}
	switch {
	case elements == 0:
		return infer.Errorf(infer.InvalidArg, "class result not available for output '%s' because it has no elements", out.Name)
	case elements > maxClassified:
		return infer.Errorf(infer.InvalidArg, "class result not available for output '%s' because it has more than %d elements", out.Name, maxClassified)
	}
	classes := elements / rows
	keep := min(int64(top), classes)
	var data []byte
	for row := range rows {
		first := int(row * classes)
		for _, class := range highest(out, first, int(classes), int(keep)) {
			data = appendElement(data, classText(out, first+class, class, label))
		}
	}
	out.Type, out.Data, out.Shape = tensor.Bytes, data, tensor.Shape{keep}
	if batching {
		out.Shape = tensor.Shape{rows, keep}
	}
	return nil
}

func classifiable(t tensor.DataType) bool {
	switch t {
	case tensor.Bool, tensor.FP16, tensor.BF16, tensor.Bytes, tensor.Invalid:
		return false
	}
	return true
}

// highest returns the indices of the greatest values of a row, greatest first; NaN is greater than all numbers.
func highest(t *tensor.Tensor, first, classes, keep int) []int {
	order := make([]int, classes)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return compare(t, first+b, first+a) })
	return order[:keep]
}

func compare(t *tensor.Tensor, i, j int) int {
	switch t.Type {
	case tensor.FP32, tensor.FP64:
		return compareFloats(floatAt(t, i), floatAt(t, j))
	case tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64:
		a, b := uint64(intAt(t, i)), uint64(intAt(t, j))
		return order(a < b, a > b)
	}
	a, b := intAt(t, i), intAt(t, j)
	return order(a < b, a > b)
}

func compareFloats(a, b float64) int {
	switch aNaN, bNaN := math.IsNaN(a), math.IsNaN(b); {
	case aNaN || bNaN:
		return order(bNaN && !aNaN, aNaN && !bNaN)
	}
	return order(a < b, a > b)
}

func order(less, greater bool) int {
	switch {
	case less:
		return -1
	case greater:
		return 1
	}
	return 0
}

func floatAt(t *tensor.Tensor, i int) float64 {
	if t.Type == tensor.FP32 {
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(t.Data[4*i:])))
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(t.Data[8*i:]))
}

// intAt reads an integer; an unsigned integer of 64 bits keeps its bits.
func intAt(t *tensor.Tensor, i int) int64 {
	switch t.Type {
	case tensor.Int8:
		return int64(int8(t.Data[i]))
	case tensor.Uint8:
		return int64(t.Data[i])
	case tensor.Int16:
		return int64(int16(binary.LittleEndian.Uint16(t.Data[2*i:])))
	case tensor.Uint16:
		return int64(binary.LittleEndian.Uint16(t.Data[2*i:]))
	case tensor.Int32:
		return int64(int32(binary.LittleEndian.Uint32(t.Data[4*i:])))
	case tensor.Uint32:
		return int64(binary.LittleEndian.Uint32(t.Data[4*i:]))
	}
	return int64(binary.LittleEndian.Uint64(t.Data[8*i:]))
}

func classText(t *tensor.Tensor, i, class int, label func(int) string) []byte {
	var text []byte
	switch t.Type {
	case tensor.FP32, tensor.FP64:
		text = appendFloat(text, floatAt(t, i))
	case tensor.Uint64:
		text = strconv.AppendUint(text, uint64(intAt(t, i)), 10)
	default:
		text = strconv.AppendInt(text, intAt(t, i), 10)
	}
	text = strconv.AppendInt(append(text, ':'), int64(class), 10)
	if name := label(class); name != "" {
		text = append(append(text, ':'), name...)
	}
	return text
}

// appendFloat writes as C's to_string does: six decimals, "nan", "inf".
func appendFloat(text []byte, v float64) []byte {
	switch {
	case math.IsNaN(v):
		return append(text, "nan"...)
	case math.IsInf(v, 1):
		return append(text, "inf"...)
	case math.IsInf(v, -1):
		return append(text, "-inf"...)
	}
	return strconv.AppendFloat(text, v, 'f', 6, 64)
}

func appendElement(data, text []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(data, uint32(len(text))), text...)
}
