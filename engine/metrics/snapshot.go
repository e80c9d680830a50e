package metrics

import (
	"sync"

	"conch/engine/histogram"
)

// Snapshot is a copy of Counters.
type Snapshot struct {
	Generation uint64

	Success, RequestNs                  uint64
	QueueNs, InputNs, InferNs, OutputNs uint64
	Failures                            [reasons]uint64
	FailNs                              uint64
	Hits, HitNs, Misses, MissNs         uint64 // of the response cache; Success counts hits too
	Inferences, Executions              uint64
	LastMs                              uint64 // Unix milliseconds of the last execution; 0 = none
	Pending                             int64
	Batches                             []Batch
	Latency                             histogram.Counts
	// The times of each stage, of requests that ran.
	QueueTimes, InputTimes, InferTimes, OutputTimes histogram.Counts
	HitTimes, MissTimes                             histogram.Counts // of the response cache
	First                                           *FirstSnapshot
	Clients                                         Clients // only of Users
}

// Failed returns the number of failures of all reasons.
func (s *Snapshot) Failed() (n uint64) {
	for _, count := range s.Failures {
		n += count
	}
	return n
}

// Computed returns the number of successful requests that ran: the response cache did not answer them.
func (s *Snapshot) Computed() uint64 { return s.Success - min(s.Hits, s.Success) }

// Snapshot returns a copy of the numbers since the version was loaded.
func (c *Counters) Snapshot() Snapshot {
	if warm := c.warm.Load(); warm != nil {
		return c.Users().plus(warm.Users())
	}
	return c.Users()
}

// Users returns Snapshot without the warm-up runs: only the users' requests.
func (c *Counters) Users() Snapshot {
	s := c.alone()
	c.gpus.each(func(_ string, part *Counters) { s = s.plus(part.alone()) })
	return s
}

// alone returns Users without what ran on GPUs that have series of their own.
func (c *Counters) alone() Snapshot {
	s := c.sums()
	s.Batches = c.batches.snapshot()
	s.Latency = c.latency.Counts()
	s.QueueTimes, s.InputTimes = c.stages.queue.Counts(), c.stages.input.Counts()
	s.HitTimes, s.MissTimes, s.First = c.hitTimes.Counts(), c.missTimes.Counts(), c.First.Snapshot()
	s.InferTimes, s.OutputTimes = c.stages.infer.Counts(), c.stages.output.Counts()
	s.Clients = c.clients.sums()
	return s
}

func (c *Counters) sums() Snapshot {
	s := Snapshot{
		Generation: c.generation,
		Success:    c.success.Load(), RequestNs: c.requestNs.Load(),
		QueueNs: c.queueNs.Load(), InputNs: c.inputNs.Load(), InferNs: c.inferNs.Load(), OutputNs: c.outputNs.Load(),
		FailNs: c.failNs.Load(), Inferences: c.inferences.Load(), Executions: c.executions.Load(),
		LastMs: c.lastMs.Load(), Pending: c.pending.Load(),
		Hits: c.hits.Load(), HitNs: c.hitNs.Load(), Misses: c.misses.Load(), MissNs: c.missNs.Load(),
	}
	for i := range s.Failures {
		s.Failures[i] = c.failures[i].Load()
	}
	return s
}

// earlier are the counters of the loads that this one replaced in place.
type earlier struct {
	mu     sync.Mutex // guards what follows
	before *Counters  // still draining, or not settled yet; nil when there is none
	done   Split      // of the counters that have ended
	rested bool       // nothing is counted any more
}

// Follows makes c continue the numbers of before, for Overall only.
func (c *Counters) Follows(before *Counters) {
	c.earlier.mu.Lock()
	defer c.earlier.mu.Unlock()
	c.earlier.before = before
}

// Rest declares that nothing is counted on c any more.
func (c *Counters) Rest() {
	c.earlier.mu.Lock()
	defer c.earlier.mu.Unlock()
	c.earlier.rested = true
}

// Settle adds the counters that c follows to c, if they are at rest, and drops them.
func (c *Counters) Settle() { c.settled() }

// settled reports whether c is at rest and follows no other counters any more.
func (c *Counters) settled() bool {
	c.earlier.mu.Lock()
	defer c.earlier.mu.Unlock()
	if before := c.earlier.before; before != nil && before.settled() {
		c.earlier.done = before.Overall()
		c.earlier.done.Rest.Pending = 0
		c.earlier.before = nil
	}
	return c.earlier.rested && c.earlier.before == nil
}

// Overall returns the totals over this load and the loads that it replaced in place, without
// batches and latency, for the metrics page (docs/triton/metrics.md, "Labels").
func (c *Counters) Overall() Split {
	c.earlier.mu.Lock()
	past := c.earlier.done
	if c.earlier.before != nil {
		past = c.earlier.before.Overall()
	}
	c.earlier.mu.Unlock()
	s := c.split((*Counters).sums)
	s.plus(past)
	return s
}

// plus returns the sum with other counters. Generation and First stay those of s.
func (s Snapshot) plus(past Snapshot) Snapshot {
	s.Success += past.Success
	s.RequestNs += past.RequestNs
	s.QueueNs += past.QueueNs
	s.InputNs += past.InputNs
	s.InferNs += past.InferNs
	s.OutputNs += past.OutputNs
	s.FailNs += past.FailNs
	s.Inferences += past.Inferences
	s.Executions += past.Executions
	s.Pending += past.Pending
	s.Clients = s.Clients.plus(past.Clients)
	s.Hits += past.Hits
	s.HitNs += past.HitNs
	s.Misses += past.Misses
	s.MissNs += past.MissNs
	s.LastMs = max(s.LastMs, past.LastMs)
	for i := range s.Failures {
		s.Failures[i] += past.Failures[i]
	}
	s.Batches = mergeBatches(s.Batches, past.Batches)
	s.Latency = s.Latency.Merge(past.Latency)
	s.QueueTimes, s.InputTimes = s.QueueTimes.Merge(past.QueueTimes), s.InputTimes.Merge(past.InputTimes)
	s.InferTimes, s.OutputTimes = s.InferTimes.Merge(past.InferTimes), s.OutputTimes.Merge(past.OutputTimes)
	s.HitTimes, s.MissTimes = s.HitTimes.Merge(past.HitTimes), s.MissTimes.Merge(past.MissTimes)
	return s
}
