package remote

import (
	"cmp"
	"math"
	"slices"

	dto "github.com/prometheus/client_model/go"
)

// bucket says how many requests took at most so long, all since the server began.
type bucket struct {
	most  float64 // nanoseconds; infinite in the last one
	count uint64
}

// share is the part of some requests that took longer than over and at most so long.
type share struct{ over, most, part float64 }

func bucketsOf(f *dto.MetricFamily) map[version][]bucket {
	all := map[version][]bucket{}
	for _, m := range f.GetMetric() {
		var list []bucket
		for _, b := range m.GetHistogram().GetBucket() {
			if most := b.GetUpperBound(); most > 0 {
				list = append(list, bucket{most * 1e6, b.GetCumulativeCount()})
			}
		}
		slices.SortFunc(list, func(a, b bucket) int { return cmp.Compare(a.most, b.most) })
		if len(list) > 0 {
			all[version{label(m, "model"), label(m, "version")}] = list
		}
	}
	return all
}

// sharesOf returns where the requests lie that came between two pages. A version that has no earlier
// buckets, or whose counts fell, has none until the next page.
func sharesOf(now, before map[version][]bucket) map[version][]share {
	all := map[version][]share{}
	for id, list := range now {
		old := before[id]
		if len(old) != len(list) || list[len(list)-1].count <= old[len(old)-1].count {
			continue
		}
		whole := float64(list[len(list)-1].count - old[len(old)-1].count)
		var last share
		var done uint64
		for i, b := range list {
			upTo := b.count - min(b.count, old[i].count)
			last = share{over: last.most, most: b.most, part: float64(upTo-min(upTo, done)) / whole}
			done = max(done, upTo)
			if last.part > 0 {
				all[id] = append(all[id], last)
			}
		}
	}
	return all
}

// estimate returns quantiles from shares. The bucket in which the mean lies has its requests there: a
// bucket is wide, and most requests are about the mean. Others have them in their middle, those of the
// last bucket at its beginning, because it has no end.
func estimate(shares []share, mean float64) (list []quantile) {
	upTo := 0.0
	for _, s := range shares {
		upTo += s.part
		at := (s.over + s.most) / 2
		switch {
		case mean > s.over && mean <= s.most:
			at = mean
		case math.IsInf(s.most, 1):
			at = s.over
		}
		list = append(list, quantile{upTo, at})
	}
	return list
}
