package histogram

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

func TestBucketBounds(t *testing.T) {
	for _, v := range []uint64{0, 1, 2, 3, 4, 7, 8, 9, 1000, 1 << 20, 1<<20 + 1, 1 << 40, math.MaxUint64} {
		want := uint32(0)
		if v > 0 {
			want = uint32(math.Floor(8 * math.Log2(float64(v))))
		}
		if v == math.MaxUint64 {
			want = 511
		}
		if got := Bucket(v); got != want {
			t.Errorf("Bucket(%d) = %d, want %d", v, got, want)
		}
	}
}

func TestHistogramCountsEachValueOnce(t *testing.T) {
	var h Live
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for v := range uint64(1000) {
				h.Add(v)
			}
		})
	}
	wg.Wait()
	if sum := h.Counts().Total(); sum != 8000 {
		t.Errorf("buckets hold %d values, want 8000", sum)
	}
}

func TestPercentile(t *testing.T) {
	values := make([]float64, 20000)
	counts := map[uint32]uint64{}
	for i := range values {
		values[i] = math.Exp(rand.NormFloat64()*0.7 + 14)
		counts[uint32(math.Floor(math.Log2(values[i])*8))]++
	}
	slices.Sort(values)
	var h Counts
	for i := range uint32(512) {
		if counts[i] > 0 {
			h.Index, h.Count = append(h.Index, i), append(h.Count, counts[i])
		}
	}
	for _, q := range []float64{0.5, 0.95, 0.99} {
		want := values[int(q*float64(len(values)))]
		if got := h.Percentile(q); math.Abs(got/want-1) > 0.05 {
			t.Errorf("p%v is %v, want about %v", q*100, got, want)
		}
	}
	if !math.IsNaN(Counts{}.Percentile(0.5)) {
		t.Error("an empty histogram has a percentile")
	}
}

// TestPercentileOfOneValue: the place in a bucket is not known, and no percentile claims to know it.
func TestPercentileOfOneValue(t *testing.T) {
	one := Counts{Index: []uint32{160}, Count: []uint64{1}}
	want := math.Exp2(160.5 / perDoubling)
	for _, q := range []float64{0, 0.5, 0.95, 0.99, 1} {
		if got := one.Percentile(q); got != want {
			t.Errorf("p%v of one value is %v, want %v", q*100, got, want)
		}
	}
	two := Counts{Index: []uint32{80, 160}, Count: []uint64{1, 1}}
	if got := two.Percentile(0.99); got != want {
		t.Errorf("p99 of two values is %v, want the greater one, %v", got, want)
	}
}

// TestPercentileAround: with the mean known, one value is told as it is, and no percentile of two like ones is far from them.
func TestPercentileAround(t *testing.T) {
	const low, high = 4_010_000_000, 4_030_000_000
	one := Counts{Index: []uint32{Bucket(high)}, Count: []uint64{1}}
	two := Counts{Index: one.Index, Count: []uint64{2}}
	for _, q := range []float64{0, 0.5, 0.95, 0.99, 1} {
		if got := one.PercentileAround(high, q); got != high {
			t.Errorf("p%v of one value is %v, want %v", q*100, got, high)
		}
		if got := two.PercentileAround((low+high)/2, q); math.Abs(got/high-1) > 0.02 {
			t.Errorf("p%v of two values is %v, want about %v", q*100, got, high)
		}
	}
	apart := Counts{Index: []uint32{80, 160}, Count: []uint64{1, 1}}
	if got, want := apart.PercentileAround(1, 0.99), apart.Percentile(0.99); got != want {
		t.Errorf("p99 of values in two buckets is %v, want %v", got, want)
	}
	if !math.IsNaN(Counts{}.PercentileAround(1, 0.5)) {
		t.Error("an empty histogram has a percentile")
	}
}

func TestSince(t *testing.T) {
	old := Counts{Index: []uint32{3, 9}, Count: []uint64{2, 5}}
	now := old.Merge(Counts{Index: []uint32{1, 9, 12}, Count: []uint64{1, 4, 1}})
	delta, ok := now.Since(old)
	if !ok || !slices.Equal(delta.Index, []uint32{1, 9, 12}) || !slices.Equal(delta.Count, []uint64{1, 4, 1}) {
		t.Errorf("delta is %v, %v", delta, ok)
	}
	if _, ok := old.Since(now); ok {
		t.Error("counts that went back pass as later")
	}
}
