package tensor

import (
	"math"
	"strconv"
	"strings"
)

// Shape is the extent of each dimension, outermost first. In a model's description -1 means any extent;
// in a tensor every extent is known. An empty shape is a scalar: one element.
type Shape []int64

// Elements is the product of the extents. It is false when an extent is negative or the product does
// not fit an int64: sizes from a request are never trusted.
func (s Shape) Elements() (int64, bool) {
	n := int64(1)
	for _, d := range s {
		if d < 0 {
			return 0, false
		}
		if d != 0 && n > math.MaxInt64/d {
			return 0, false
		}
		n *= d
	}
	return n, true
}

// ByteSize is Elements times the size of one element; false for BYTES and where Elements is false.
func (s Shape) ByteSize(t DataType) (int64, bool) {
	n, ok := s.Elements()
	size := int64(t.Size())
	if !ok || size == 0 || n > math.MaxInt64/size {
		return 0, false
	}
	return n * size, true
}

// String is Triton's form of a shape: "[-1,64]".
func (s Shape) String() string {
	var b strings.Builder
	b.WriteByte('[')
	for i, d := range s {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.FormatInt(d, 10))
	}
	b.WriteByte(']')
	return b.String()
}

// Matches reports whether a known shape fits a described one, in which -1 takes any extent.
func (s Shape) Matches(described Shape) bool {
	if len(s) != len(described) {
		return false
	}
	for i, d := range described {
		if d != -1 && d != s[i] {
			return false
		}
	}
	return true
}
