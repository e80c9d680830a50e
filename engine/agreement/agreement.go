// Package agreement says how far the outputs of two models agree: the largest differences, the angle between them, and whether
// they choose the same class. It knows tensors as bytes, and nothing of where they come from.
package agreement

import (
	"fmt"
	"math"
	"slices"

	"conch/engine/tensor"
)

// Tensor is an output: little-endian values in row-major order.
type Tensor struct {
	Datatype string // as the inference protocol names it: "FP32"
	Shape    []int64
	Raw      []byte
}

// Difference is what two outputs, or the same two of several requests, differ in.
type Difference struct {
	// Elements is how many were compared.
	Elements int64
	// Equal is how many of them are the same.
	Equal int64
	// Absolute is the largest difference of two elements.
	Absolute float64
	// Relative is the largest difference beside the size of the first element. Elements below a thousandth of the tensor's largest are left
	// out: beside a value that is nearly nothing every difference is large.
	Relative float64
	// Cosine is that of the angle between both; 1 when they point the same way. NaN when one of them is all zero.
	Cosine float64
	// Odd is how many elements are infinite or no number in one of them alone.
	Odd int64
	// Rows is how many rows of scores there are, and SameRows how many have their largest value at the same place. 0 where an output is no scores.
	Rows, SameRows int64

	product, first, second float64 // for Cosine
}

// smallest is the part of a tensor's largest value below which relative differences do not count.
const smallest = 1e-3

// Compare compares two outputs.
func Compare(a, b Tensor) (Difference, error) {
	if a.Datatype != b.Datatype {
		return Difference{}, fmt.Errorf("one is %s and the other %s", a.Datatype, b.Datatype)
	}
	if !slices.Equal(a.Shape, b.Shape) {
		return Difference{}, fmt.Errorf("one has shape %s and the other %s", tensor.Shape(a.Shape), tensor.Shape(b.Shape))
	}
	if a.Datatype == "BYTES" {
		return compareTexts(a.Raw, b.Raw), nil
	}
	left, err := numbers(a)
	if err != nil {
		return Difference{}, err
	}
	right, err := numbers(b)
	if err != nil {
		return Difference{}, err
	}
	if len(left) != len(right) {
		return Difference{}, fmt.Errorf("one has %d values and the other %d", len(left), len(right))
	}
	d := compare(left, right)
	d.compareRows(a, left, right)
	return d, nil
}

func compare(left, right []float64) Difference {
	d := Difference{Elements: int64(len(left))}
	least := smallest * largest(left)
	for i, a := range left {
		b := right[i]
		switch {
		case a == b || math.IsNaN(a) && math.IsNaN(b):
			d.Equal++
		case !finite(a) || !finite(b):
			d.Odd++
			continue
		}
		if !finite(a) {
			continue
		}
		off := math.Abs(a - b)
		d.Absolute = max(d.Absolute, off)
		if size := math.Abs(a); size > 0 && size >= least {
			d.Relative = max(d.Relative, off/size)
		}
		d.product, d.first, d.second = d.product+a*b, d.first+a*a, d.second+b*b
	}
	d.cosine()
	return d
}

// compareRows compares where the rows of scores have their largest values. Scores are floating-point numbers in rows of two or more, one row
// for each item: what has rows and columns, such as a picture whose last dimension is its colours, is no scores. The window shows the classes
// of the same outputs (frontend/src/ui/tensor/views.ts).
func (d *Difference) compareRows(t Tensor, left, right []float64) {
	if len(t.Shape) == 0 || !floating[t.Datatype] {
		return
	}
	last := len(t.Shape) - 1
	width := int(t.Shape[last])
	if width < 2 || last > 1 && slices.ContainsFunc(t.Shape[1:last], func(dim int64) bool { return dim != 1 }) {
		return
	}
	for at := 0; at+width <= len(left); at += width {
		d.Rows++
		if first(left[at:at+width]) == first(right[at:at+width]) {
			d.SameRows++
		}
	}
}

// Add adds the difference of another request.
func (d *Difference) Add(o Difference) {
	d.Elements, d.Equal, d.Odd = d.Elements+o.Elements, d.Equal+o.Equal, d.Odd+o.Odd
	d.Rows, d.SameRows = d.Rows+o.Rows, d.SameRows+o.SameRows
	d.Absolute, d.Relative = max(d.Absolute, o.Absolute), max(d.Relative, o.Relative)
	d.product, d.first, d.second = d.product+o.product, d.first+o.first, d.second+o.second
	d.cosine()
}

func (d *Difference) cosine() {
	d.Cosine = min(1, d.product/math.Sqrt(d.first)/math.Sqrt(d.second))
}

func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

// largest returns the largest size of a value.
func largest(list []float64) (most float64) {
	for _, f := range list {
		if size := math.Abs(f); finite(size) {
			most = max(most, size)
		}
	}
	return most
}

// first returns where the largest value is.
func first(row []float64) (at int) {
	for i, f := range row {
		if f > row[at] {
			at = i
		}
	}
	return at
}
