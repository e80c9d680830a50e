package tensorjson

import (
	"fmt"
	"math"
	"math/bits"
)

// kind is how the elements of a type are written.
type kind uint8

const (
	boolean kind = iota
	signed
	unsigned
	floating
	text
)

// datatype is one of Triton's element types (docs/triton/requests.md, "Data types").
type datatype struct {
	kind kind
	size int // in bytes; 0 when elements vary
}

var datatypes = map[string]datatype{
	"BOOL":  {boolean, 1},
	"UINT8": {unsigned, 1}, "UINT16": {unsigned, 2}, "UINT32": {unsigned, 4}, "UINT64": {unsigned, 8},
	"INT8": {signed, 1}, "INT16": {signed, 2}, "INT32": {signed, 4}, "INT64": {signed, 8},
	"FP16": {floating, 2}, "BF16": {floating, 2}, "FP32": {floating, 4}, "FP64": {floating, 8},
	"BYTES": {text, 0},
}

// maxElements limits the elements of a shape, which is checked before memory is allocated.
const maxElements = 1 << 28

// Count returns the number of elements of a shape. An error says which dimension is impossible.
func Count(shape []int64) (int, error) {
	n := uint64(1)
	for i, dim := range shape {
		if dim < 0 {
			return 0, fmt.Errorf("dimension %d of the shape is %d; give it a size", i+1, dim)
		}
		high, low := bits.Mul64(n, uint64(dim))
		if high != 0 || low > maxElements {
			return 0, fmt.Errorf("the shape %s has more than %d elements", shapeText(shape), maxElements)
		}
		n = low
	}
	return int(n), nil
}

// limits returns the limits of a whole number of this many bytes.
func (d datatype) limits() (lowest int64, highest uint64) {
	width := uint(d.size * 8)
	if d.kind == signed {
		return math.MinInt64 >> (64 - width), uint64(math.MaxInt64) >> (64 - width)
	}
	return 0, math.MaxUint64 >> (64 - width)
}

// Size returns the bytes of one element of a type; 0 for BYTES, whose elements vary, and for an
// unknown name.
func Size(name string) int { return datatypes[name].size }
