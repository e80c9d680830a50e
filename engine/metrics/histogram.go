package metrics

import (
	"math"
	"math/bits"
	"sync/atomic"
)

// PerDoubling is how many buckets lie between a value and its double: each is 9 % wide, which is as exact as
// a percentile on a screen needs to be, and two histograms merge by adding.
const PerDoubling = 8

// Histogram counts values in exponential buckets: bucket i holds 2^(i/8) <= v < 2^((i+1)/8), and values below 1
// are in bucket 0. Its memory is taken one doubling at a time, when a value falls there.
type Histogram struct {
	doublings [64]atomic.Pointer[[PerDoubling]atomic.Uint64]
}

// Bucket is one bucket that is not empty.
type Bucket struct {
	Index uint32
	Count uint64
}

// bounds[i] is 2^(63 + i/8): the lower bounds of a doubling's buckets, for values shifted up to the top bit.
var bounds = func() (b [PerDoubling]uint64) {
	for i := range b {
		b[i] = uint64(math.Ceil(math.Exp2(63 + float64(i)/PerDoubling)))
	}
	return b
}()

// BucketOf is the index of the bucket that holds v.
func BucketOf(v uint64) uint32 {
	if v < 1 {
		return 0
	}
	doubling := bits.Len64(v) - 1
	top := v << (63 - doubling)
	part := PerDoubling - 1
	for part > 0 && top < bounds[part] {
		part--
	}
	return uint32(doubling*PerDoubling + part)
}

// Add counts one value.
func (h *Histogram) Add(v uint64) {
	index := BucketOf(v)
	slot := &h.doublings[index/PerDoubling]
	buckets := slot.Load()
	if buckets == nil {
		slot.CompareAndSwap(nil, new([PerDoubling]atomic.Uint64))
		buckets = slot.Load()
	}
	buckets[index%PerDoubling].Add(1)
}

// Buckets lists what is not empty, ascending.
func (h *Histogram) Buckets() []Bucket {
	var list []Bucket
	for d := range h.doublings {
		buckets := h.doublings[d].Load()
		for i := 0; buckets != nil && i < PerDoubling; i++ {
			if n := buckets[i].Load(); n > 0 {
				list = append(list, Bucket{Index: uint32(d*PerDoubling + i), Count: n})
			}
		}
	}
	return list
}

// Quantile is the value that a share q of the values lies below; 0 when there are none.
func Quantile(buckets []Bucket, q float64) float64 {
	var all uint64
	for _, b := range buckets {
		all += b.Count
	}
	if all == 0 {
		return 0
	}
	rank, below := q*float64(all), uint64(0)
	for _, b := range buckets {
		below += b.Count
		if float64(below) >= rank {
			return middle(b.Index)
		}
	}
	return middle(buckets[len(buckets)-1].Index)
}

// middle is the middle of a bucket, at most 5 % from what is in it.
func middle(index uint32) float64 {
	if index == 0 {
		return 0
	}
	return math.Exp2((float64(index) + 0.5) / PerDoubling)
}

// Since gives what was counted after an earlier look at the same histogram.
func Since(now, before []Bucket) []Bucket {
	earlier := make(map[uint32]uint64, len(before))
	for _, b := range before {
		earlier[b.Index] = b.Count
	}
	var list []Bucket
	for _, b := range now {
		if n := b.Count - min(earlier[b.Index], b.Count); n > 0 {
			list = append(list, Bucket{b.Index, n})
		}
	}
	return list
}
