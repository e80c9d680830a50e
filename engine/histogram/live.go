package histogram

import (
	"math"
	"math/bits"
	"sync/atomic"
)

// perDoubling is the number of buckets between a value and its double.
const perDoubling = 8

// Live counts values: bucket i holds 2^(i/8) <= v < 2^((i+1)/8), and values below 1 are in bucket 0. It takes
// memory for one doubling at a time, when a value falls into it. It is safe for concurrent use; the zero value
// is empty.
type Live struct {
	doublings [64]atomic.Pointer[[perDoubling]atomic.Uint64]
}

// bounds[i] is 2^(63 + i/8): the lower bounds of a doubling's buckets, for values shifted up to the top bit.
var bounds = func() (b [perDoubling]uint64) {
	for i := range b {
		b[i] = uint64(math.Ceil(math.Exp2(63 + float64(i)/perDoubling)))
	}
	return b
}()

// Bucket returns the index of the bucket of v.
func Bucket(v uint64) uint32 {
	if v < 1 {
		return 0
	}
	doubling := bits.Len64(v) - 1
	top := v << (63 - doubling)
	part := perDoubling - 1
	for part > 0 && top < bounds[part] {
		part--
	}
	return uint32(doubling*perDoubling + part)
}

// Add counts one value.
func (h *Live) Add(v uint64) {
	index := Bucket(v)
	slot := &h.doublings[index/perDoubling]
	buckets := slot.Load()
	if buckets == nil {
		slot.CompareAndSwap(nil, new([perDoubling]atomic.Uint64))
		buckets = slot.Load()
	}
	buckets[index%perDoubling].Add(1)
}

// Counts copies the numbers.
func (h *Live) Counts() Counts {
	var c Counts
	for d := range h.doublings {
		buckets := h.doublings[d].Load()
		for i := 0; buckets != nil && i < perDoubling; i++ {
			if n := buckets[i].Load(); n > 0 {
				c.Append(uint32(d*perDoubling+i), n)
			}
		}
	}
	return c
}
