package answers

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"conch/app/tensorjson"
)

const (
	// mostRead limits the bytes of one read.
	mostRead = 64 << 20
	// mostElement is how much is read of one element of BYTES: enough to look at.
	mostElement = 4 << 10
	// every is how many elements of BYTES share an entry of the index. An element takes at least 4 bytes,
	// so the index takes at most an eighth of the tensor, and an element is found in a few steps.
	every = 16
)

// Tensor is a kept tensor. It does not change.
type Tensor struct {
	Source uint64
	Count  uint64 // elements
	owner  Owner
	raw    []byte
	size   int   // of an element; 0 for BYTES
	index  []int // of BYTES: where elements 0, every, 2*every … begin in raw
}

// takes returns how much memory the tensor takes.
func (t *Tensor) takes() int { return cap(t.raw) + 8*cap(t.index) + overhead }

// newTensor looks at a tensor as it came from the engine. Elements that are cut off at the end do not
// count.
func newTensor(owner Owner, datatype string, raw []byte) *Tensor {
	t := &Tensor{owner: owner, raw: raw, size: tensorjson.Size(datatype)}
	if t.size > 0 {
		t.Count = uint64(len(raw) / t.size)
		return t
	}
	for at := 0; ; t.Count++ {
		element, ok := t.element(at)
		if !ok {
			t.index = slices.Clip(t.index)
			return t
		}
		if t.Count%every == 0 {
			t.index = append(t.index, at)
		}
		at += 4 + len(element)
	}
}

// element returns the element of BYTES that begins at this place in raw.
func (t *Tensor) element(at int) (_ []byte, ok bool) {
	if len(t.raw)-at < 4 {
		return nil, false
	}
	length := uint64(binary.LittleEndian.Uint32(t.raw[at:]))
	rest := t.raw[at+4:]
	if uint64(len(rest)) < length {
		return nil, false
	}
	return rest[:length], true
}

// Grid is rows and columns of elements: those at Start + row*RowStride + column*ColumnStride in
// row-major order of the tensor. Elements after the last one of the tensor are left out.
type Grid struct{ Start, Rows, RowStride, Columns, ColumnStride uint64 }

// Part is a part of a tensor.
type Part struct {
	Raw   []byte   // as on the wire
	Sizes []uint64 // the whole lengths of BYTES elements; nil where Raw has them whole
}

// Read reads a grid of elements.
func (t *Tensor) Read(g Grid) (*Part, error) {
	size := uint64(t.size)
	if size == 0 {
		size = 4 // an element of BYTES takes as much or more
	}
	high, cells := bits.Mul64(g.Rows, g.Columns)
	if g.Rows == 0 || g.Columns == 0 {
		return &Part{}, nil
	}
	if high != 0 || cells > mostRead/size {
		return nil, fmt.Errorf("%d rows of %d elements are more than can be read at once, which is %d MiB; choose a smaller slice", g.Rows, g.Columns, mostRead>>20)
	}
	if t.size == 0 {
		return t.readBytes(g)
	}
	part := &Part{Raw: make([]byte, 0, min(cells, t.Count)*size)}
	for row := range g.Rows {
		from, ok := t.at(g.Start, row, g.RowStride)
		if !ok {
			break
		}
		if g.ColumnStride == 1 {
			end := min(from+g.Columns, t.Count)
			part.Raw = append(part.Raw, t.raw[from*size:end*size]...)
			continue
		}
		for column := range g.Columns {
			at, ok := t.at(from, column, g.ColumnStride)
			if !ok {
				break
			}
			part.Raw = append(part.Raw, t.raw[at*size:(at+1)*size]...)
		}
	}
	return part, nil
}

// at returns from + step*stride, unless it lies behind the last element.
func (t *Tensor) at(from, step, stride uint64) (uint64, bool) {
	high, way := bits.Mul64(step, stride)
	sum, carry := bits.Add64(from, way, 0)
	return sum, high == 0 && carry == 0 && sum < t.Count
}

func (t *Tensor) readBytes(g Grid) (*Part, error) {
	part := &Part{}
	cut := false
	for row := range g.Rows {
		from, ok := t.at(g.Start, row, g.RowStride)
		if !ok {
			break
		}
		for column := range g.Columns {
			at, ok := t.at(from, column, g.ColumnStride)
			if !ok {
				break
			}
			whole := t.find(at)
			shown := whole[:min(len(whole), mostElement)]
			if len(part.Raw)+4+len(shown) > mostRead {
				return nil, fmt.Errorf("these elements are more than can be read at once, which is %d MiB; choose a smaller slice", mostRead>>20)
			}
			part.Raw = append(binary.LittleEndian.AppendUint32(part.Raw, uint32(len(shown))), shown...)
			part.Sizes = append(part.Sizes, uint64(len(whole)))
			cut = cut || len(shown) < len(whole)
		}
	}
	if !cut {
		part.Sizes = nil
	}
	return part, nil
}

// find returns an element of BYTES, which exists.
func (t *Tensor) find(number uint64) []byte {
	at := t.index[number/every]
	element, _ := t.element(at)
	for range number % every {
		at += 4 + len(element)
		element, _ = t.element(at)
	}
	return element
}
