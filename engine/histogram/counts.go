package histogram

import (
	"math"
	"slices"
)

// Counts are the buckets that are not empty, by number. Index is ascending.
type Counts struct {
	Index []uint32
	Count []uint64
}

// Total is the number of values.
func (h Counts) Total() uint64 {
	var n uint64
	for _, c := range h.Count {
		n += c
	}
	return n
}

// Merge adds another histogram's counts; neither operand is changed.
func (h Counts) Merge(o Counts) Counts {
	if len(o.Index) == 0 {
		return h
	}
	if len(h.Index) == 0 {
		return o
	}
	out := Counts{Index: make([]uint32, 0, len(h.Index)+len(o.Index)), Count: make([]uint64, 0, len(h.Index)+len(o.Index))}
	i, j := 0, 0
	for i < len(h.Index) || j < len(o.Index) {
		switch {
		case j == len(o.Index) || i < len(h.Index) && h.Index[i] < o.Index[j]:
			out.Append(h.Index[i], h.Count[i])
			i++
		case i == len(h.Index) || o.Index[j] < h.Index[i]:
			out.Append(o.Index[j], o.Count[j])
			j++
		default:
			out.Append(h.Index[i], h.Count[i]+o.Count[j])
			i, j = i+1, j+1
		}
	}
	return out
}

// Append adds a bucket with a greater number than the existing ones.
func (h *Counts) Append(index uint32, count uint64) {
	h.Index = append(h.Index, index)
	h.Count = append(h.Count, count)
}

// Since returns the counts since an earlier state of the same histogram. ok is false when earlier cannot be
// such a state, because a count has decreased. Then all counts are new.
func (h Counts) Since(earlier Counts) (delta Counts, ok bool) {
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
			delta.Append(index, count)
		}
	}
	if seen != len(earlier.Index) {
		return h, false
	}
	return delta, true
}

// Percentile returns the value that the fraction q (0…1) of all values is at or below; NaN without values. Where a value
// lies in its bucket is not known: each is taken to be in the middle of its share of it, so that all percentiles of one value are
// the same.
func (h Counts) Percentile(q float64) float64 {
	bucket, inside := h.rank(q)
	return math.Exp2((bucket + inside) / perDoubling)
}

// PercentileAround is Percentile where the mean of all values is known, which tells more where they are in one bucket: they
// lie around it. So a percentile of one value is that value, as everything else on a screen tells it.
func (h Counts) PercentileAround(mean, q float64) float64 {
	bucket, inside := h.rank(q)
	if len(h.Index) != 1 {
		return math.Exp2((bucket + inside) / perDoubling)
	}
	low, high := math.Exp2(bucket/perDoubling), math.Exp2((bucket+1)/perDoubling)
	mean = min(max(mean, low), high)
	return mean + (2*inside-1)*min(mean-low, high-mean)
}

// rank finds the bucket of the value that the fraction q of all values is at or below, and the share of the bucket's values
// that are below it. Both are NaN without values.
func (h Counts) rank(q float64) (bucket, inside float64) {
	rank := max(math.Ceil(q*float64(h.Total())), 1)
	var before float64
	for i, count := range h.Count {
		after := before + float64(count)
		if after >= rank || i == len(h.Count)-1 {
			return float64(h.Index[i]), min(max((rank-0.5-before)/float64(count), 0), 1)
		}
		before = after
	}
	return math.NaN(), math.NaN()
}
