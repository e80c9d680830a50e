package store

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// bucketsPerDoubling is the resolution of the engine's histograms: bucket i holds values from 2^(i/8) to
// 2^((i+1)/8) nanoseconds, so a percentile is never further off than 9 %.
const bucketsPerDoubling = 8

// Histogram counts values in exponential buckets; Index is ascending. Two of them merge by adding counts.
type Histogram struct {
	Index []uint32
	Count []uint64
}

// Total is the number of values.
func (h Histogram) Total() uint64 {
	var n uint64
	for _, c := range h.Count {
		n += c
	}
	return n
}

// Merge adds another histogram's counts; neither operand is changed.
func (h Histogram) Merge(o Histogram) Histogram {
	if len(o.Index) == 0 {
		return h
	}
	if len(h.Index) == 0 {
		return o
	}
	out := Histogram{Index: make([]uint32, 0, len(h.Index)+len(o.Index)), Count: make([]uint64, 0, len(h.Index)+len(o.Index))}
	i, j := 0, 0
	for i < len(h.Index) || j < len(o.Index) {
		switch {
		case j == len(o.Index) || i < len(h.Index) && h.Index[i] < o.Index[j]:
			out.add(h.Index[i], h.Count[i])
			i++
		case i == len(h.Index) || o.Index[j] < h.Index[i]:
			out.add(o.Index[j], o.Count[j])
			j++
		default:
			out.add(h.Index[i], h.Count[i]+o.Count[j])
			i, j = i+1, j+1
		}
	}
	return out
}

func (h *Histogram) add(index uint32, count uint64) {
	h.Index = append(h.Index, index)
	h.Count = append(h.Count, count)
}

// Since gives what was counted after an earlier state of the same histogram. ok is false when earlier cannot
// be one, because a count went back: then everything counts as new.
func (h Histogram) Since(earlier Histogram) (delta Histogram, ok bool) {
	seen := 0
	for i, index := range h.Index {
		count := h.Count[i]
		if j, found := slices.BinarySearch(earlier.Index, index); found {
			if earlier.Count[j] > count {
				return h, false
			}
			count -= earlier.Count[j]
			seen++
		}
		if count > 0 {
			delta.add(index, count)
		}
	}
	if seen != len(earlier.Index) {
		return h, false
	}
	return delta, true
}

// Percentile gives the value in nanoseconds below which q (0…1) of all values lie, NaN without values.
func (h Histogram) Percentile(q float64) float64 {
	total := h.Total()
	if total == 0 {
		return math.NaN()
	}
	rank := q * float64(total)
	var before float64
	for i, count := range h.Count {
		after := before + float64(count)
		if after >= rank || i == len(h.Count)-1 {
			inside := min(max((rank-before)/float64(count), 0), 1)
			return math.Exp2((float64(h.Index[i]) + inside) / bucketsPerDoubling)
		}
		before = after
	}
	return math.NaN()
}

// encode writes gaps between indexes and counts as varints: two to four bytes a bucket. nil when empty.
func (h Histogram) encode() []byte {
	if len(h.Index) == 0 {
		return nil
	}
	out := make([]byte, 0, 4*len(h.Index))
	last := uint32(0)
	for i, index := range h.Index {
		out = binary.AppendUvarint(out, uint64(index-last))
		out = binary.AppendUvarint(out, h.Count[i])
		last = index
	}
	return out
}

func decodeHistogram(blob []byte) (Histogram, error) {
	var h Histogram
	index := uint64(0)
	for len(blob) > 0 {
		gap, n := binary.Uvarint(blob)
		if n <= 0 {
			return Histogram{}, fmt.Errorf("read histogram: bad bucket number")
		}
		count, m := binary.Uvarint(blob[n:])
		if m <= 0 {
			return Histogram{}, fmt.Errorf("read histogram: bad count")
		}
		blob = blob[n+m:]
		index += gap
		if index > math.MaxUint32 {
			return Histogram{}, fmt.Errorf("read histogram: bucket %d does not exist", index)
		}
		h.add(uint32(index), count)
	}
	return h, nil
}
