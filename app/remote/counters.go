package remote

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"conch/engine/histogram"
	"conch/engine/kserve/enginepb"
	"conch/engine/kserve/kservepb"
)

// counters add up what a server's versions did since it is followed. What it did before, or while it was
// away, is not known second by second, and does not count.
type counters struct {
	at       time.Time // of the newest answer
	cpu      time.Duration
	begun    bool // there is an answer to compare with
	versions map[version]*counted
}

type version struct{ model, number string }

// counted are the sums of one version.
type counted struct {
	last  *kservepb.ModelStatistics
	sum   enginepb.ModelSample
	all   placed // latencies of all requests
	own   placed // of those that clients sent
	owned enginepb.ClientSample
}

func newCounters() counters { return counters{versions: map[version]*counted{}} }

// rebase is called when the server is away: what it does meanwhile does not count.
func (c *counters) rebase() { c.begun = false }

// delta is what one version did between two answers.
type delta struct {
	success, failure, inferences, executions, ns, queue, input, infer, output, hits, misses uint64
}

// note takes over the statistics of all versions. steps says which requests ensembles made: those are
// not of clients. It returns the models that were loaded again, as their counters began again from zero.
func (c *counters) note(stats []*kservepb.ModelStatistics, page page, steps map[string]map[string]uint64, now time.Time) (again []string) {
	if c.begun {
		c.cpu += time.Duration(page.cpu * float64(now.Sub(c.at)))
	}
	deltas := map[version]delta{}
	made := map[string]uint64{} // by model: requests that ensembles made
	for _, s := range stats {
		id := version{s.Name, s.Version}
		v := c.versions[id]
		if v == nil {
			v = &counted{}
			c.versions[id] = v
		}
		if fell(s, v.last) && !slices.Contains(again, s.Name) {
			again = append(again, s.Name)
		}
		d := differenceOf(s, v.last, c.begun)
		deltas[id], v.last = d, s
		for model, times := range steps[s.Name] {
			made[model] += times * d.success
		}
	}
	for id, d := range deltas {
		v := c.versions[id]
		clients := d.success - min(d.success, made[id.model])
		made[id.model] -= d.success - clients
		v.add(d, clients, page.latencies(id, d))
	}
	c.at, c.begun = now, true
	c.forget(deltas)
	return again
}

// forget drops versions that the server does not know any more, where there are many: their sums do not
// change again.
func (c *counters) forget(known map[version]delta) {
	const most = 10_000
	if len(c.versions) > most {
		maps.DeleteFunc(c.versions, func(id version, _ *counted) bool { _, ok := known[id]; return !ok })
	}
}

// fell reports whether counters began again from zero since the last statistics.
func fell(now, last *kservepb.ModelStatistics) bool {
	if last == nil {
		return false
	}
	a, b := read(now), read(last)
	return a.success < b.success || a.failure < b.failure || a.executions < b.executions
}

// differenceOf returns what happened since the last statistics. Counters that fell began again from
// zero. begun means that the server was followed before: a version that is new began with zero.
func differenceOf(now, last *kservepb.ModelStatistics, begun bool) delta {
	a := read(now)
	switch {
	case !begun:
		return delta{}
	case last == nil, fell(now, last):
		return a
	}
	b := read(last)
	return delta{
		a.success - b.success, a.failure - b.failure, less(a.inferences, b.inferences), a.executions - b.executions, less(a.ns, b.ns),
		less(a.queue, b.queue), less(a.input, b.input), less(a.infer, b.infer), less(a.output, b.output), less(a.hits, b.hits), less(a.misses, b.misses),
	}
}

func less(a, b uint64) uint64 { return a - min(a, b) }

func read(s *kservepb.ModelStatistics) delta {
	i := s.InferenceStats
	return delta{
		i.GetSuccess().GetCount(), i.GetFail().GetCount(), s.InferenceCount, s.ExecutionCount, i.GetSuccess().GetNs(),
		i.GetQueue().GetNs(), i.GetComputeInput().GetNs(), i.GetComputeInfer().GetNs(), i.GetComputeOutput().GetNs(),
		i.GetCacheHit().GetCount(), i.GetCacheMiss().GetCount(),
	}
}

// latencies returns what is known of where the requests of a second lie: by the server's summaries, else
// by its histograms, else only their mean.
func (p page) latencies(id version, d delta) []quantile {
	if d.success == 0 || len(p.quantiles[id]) > 0 {
		return p.quantiles[id]
	}
	mean := float64(d.ns) / float64(d.success)
	if shares := p.shares[id]; len(shares) > 0 {
		return estimate(shares, mean)
	}
	return []quantile{{1, mean}}
}

func (v *counted) add(d delta, clients uint64, quantiles []quantile) {
	s := &v.sum
	s.Success, s.Failure, s.Inferences, s.Executions = s.Success+d.success, s.Failure+d.failure, s.Inferences+d.inferences, s.Executions+d.executions
	s.RequestNs, s.QueueNs, s.InputNs, s.InferNs, s.OutputNs = s.RequestNs+d.ns, s.QueueNs+d.queue, s.InputNs+d.input, s.InferNs+d.infer, s.OutputNs+d.output
	s.CacheHits, s.CacheMisses = s.CacheHits+d.hits, s.CacheMisses+d.misses
	v.all.place(d.success, quantiles)
	v.own.place(clients, quantiles)
	o := &v.owned
	o.Success, o.Failure = o.Success+clients, o.Failure+d.failure
	if d.success > 0 {
		part := float64(clients) / float64(d.success)
		share := func(ns uint64) uint64 { return uint64(part * float64(ns)) }
		o.RequestNs, o.QueueNs, o.InputNs = o.RequestNs+share(d.ns), o.QueueNs+share(d.queue), o.InputNs+share(d.input)
		o.InferNs, o.OutputNs = o.InferNs+share(d.infer), o.OutputNs+share(d.output)
	}
}

// sample returns the sums.
func (c *counters) sample(page page) *enginepb.SampleResponse {
	out := &enginepb.SampleResponse{TimeMs: c.at.UnixMilli(), CpuNs: uint64(c.cpu), ResidentBytes: page.memory, Gpus: page.gpus, GpuEnergy: page.energy}
	order := slices.SortedFunc(maps.Keys(c.versions), func(a, b version) int {
		return cmp.Or(cmp.Compare(a.model, b.model), cmp.Compare(a.number, b.number))
	})
	for _, id := range order {
		v := c.versions[id]
		s, o := &v.sum, &v.owned
		number, _ := strconv.ParseInt(id.number, 10, 64)
		out.Models = append(out.Models, &enginepb.ModelSample{
			Name: id.model, Version: number, Generation: 1, Success: s.Success, Failure: s.Failure, Inferences: s.Inferences,
			Executions: s.Executions, RequestNs: s.RequestNs, QueueNs: s.QueueNs, InputNs: s.InputNs, InferNs: s.InferNs, OutputNs: s.OutputNs,
			CacheHits: s.CacheHits, CacheMisses: s.CacheMisses, Latency: v.all.histogram(),
			Clients: &enginepb.ClientSample{
				Success: o.Success, Failure: o.Failure, RequestNs: o.RequestNs, QueueNs: o.QueueNs, InputNs: o.InputNs, InferNs: o.InferNs,
				OutputNs: o.OutputNs, Latency: v.own.histogram(),
			},
		})
	}
	return out
}

// quantile says that the part q of all requests took at most so many nanoseconds.
type quantile struct{ q, ns float64 }

// placed are latencies, placed where quantiles say that they are.
type placed struct {
	counts map[uint32]uint64
	owed   []float64 // by quantile: the part of a request that was not placed yet
}

// place adds n requests. Over time each part of them lies at its quantile.
func (p *placed) place(n uint64, quantiles []quantile) {
	if n == 0 || len(quantiles) == 0 {
		return
	}
	if p.counts == nil {
		p.counts = map[uint32]uint64{}
	}
	if len(p.owed) != len(quantiles) {
		p.owed = make([]float64, len(quantiles))
	}
	left, before := n, 0.0
	for i, at := range quantiles {
		part := at.q - before
		if i == len(quantiles)-1 {
			part = 1 - before // the slowest, of which no more is known
		}
		before = at.q
		p.owed[i] += part * float64(n)
		take := min(uint64(max(math.Floor(p.owed[i]), 0)), left)
		p.put(i, take, at.ns)
		left -= take
	}
	for rounds := 0; left > 0; rounds++ { // what is left after rounding down is less than one for each quantile
		take := uint64(1)
		if rounds >= len(quantiles) {
			take = left // the count is so large that a float does not hold it
		}
		most := slices.Index(p.owed, slices.Max(p.owed))
		p.put(most, take, quantiles[most].ns)
		left -= take
	}
}

func (p *placed) put(i int, n uint64, ns float64) {
	if n == 0 {
		return
	}
	p.counts[histogram.Bucket(uint64(max(ns, 1)))] += n
	p.owed[i] -= float64(n)
}

func (p *placed) histogram() *enginepb.Histogram {
	out := &enginepb.Histogram{}
	for _, index := range slices.Sorted(maps.Keys(p.counts)) {
		out.Index, out.Count = append(out.Index, index), append(out.Count, p.counts[index])
	}
	return out
}
