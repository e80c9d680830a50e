package metrics

import (
	"sync/atomic"
	"time"

	"conch/engine/histogram"
	"conch/engine/infer"
)

// Counters are the numbers of one loaded version. They begin at zero with each load
// (docs/triton/metrics.md, "Statistics"), but the metrics page goes on counting over a change in
// place. Follows connects old and new counters.
type Counters struct {
	generation uint64

	success   atomic.Uint64
	requestNs atomic.Uint64
	queueNs   atomic.Uint64
	inputNs   atomic.Uint64
	inferNs   atomic.Uint64
	outputNs  atomic.Uint64

	failNs     atomic.Uint64
	failures   [reasons]atomic.Uint64
	inferences atomic.Uint64
	executions atomic.Uint64
	lastMs     atomic.Uint64
	pending    atomic.Int64
	clients    clients

	hits   atomic.Uint64
	hitNs  atomic.Uint64
	misses atomic.Uint64
	missNs atomic.Uint64

	batches             batchSizes
	latency             histogram.Live
	stages              stages
	hitTimes, missTimes histogram.Live
	// First counts first responses; nil if that is off. It is set before the first request.
	First   *FirstResponse
	earlier earlier
	warm    atomic.Pointer[Counters] // the warm-up runs; nil without any
	gpus    gpus
}

// generations numbers the sets of counters of a process. It begins with the time, so that numbers differ
// between one process and the next.
var generations atomic.Uint64

// New returns counters at zero.
func New() *Counters {
	generations.CompareAndSwap(0, uint64(time.Now().UnixNano()))
	return &Counters{generation: generations.Add(1)}
}

// Generation returns a number that identifies this set of counters.
func (c *Counters) Generation() uint64 { return c.generation }

// WarmUp returns the counters for warm-up runs. Snapshot and Overall include them, as Triton does; Users does
// not.
func (c *Counters) WarmUp() *Counters {
	if c.warm.Load() == nil {
		c.warm.CompareAndSwap(nil, New())
	}
	return c.warm.Load()
}

// uncounted takes what nobody reads.
var uncounted = New()

// For returns the counters of a request: c, or for a trial counters that nobody reads.
func (c *Counters) For(r *infer.Request) *Counters {
	if r.Trial {
		return uncounted
	}
	return c
}

// Queued counts a request that begins to wait for an instance (delta 1) or stops waiting (delta
// -1). Trials count too, since others wait behind them.
func (c *Counters) Queued(delta int64) { c.pending.Add(delta) }

// Succeeded counts a request that was answered. batch is its own batch extent; 0 counts as 1.
func (c *Counters) Succeeded(batch int64, t infer.Timings) {
	c.requestNs.Add(uint64(t.Total))
	c.queueNs.Add(uint64(t.Queue))
	c.inputNs.Add(uint64(t.Input))
	c.inferNs.Add(uint64(t.Infer))
	c.outputNs.Add(uint64(t.Output))
	c.inferences.Add(uint64(max(batch, 1)))
	c.latency.Add(uint64(t.Total))
	c.stages.add(t)
	c.success.Add(1)
}

// Hit counts a request that was answered from the response cache: a success without an execution.
func (c *Counters) Hit(t infer.Timings, took time.Duration) {
	c.requestNs.Add(uint64(t.Total))
	c.hitNs.Add(uint64(took))
	c.hits.Add(1)
	c.hitTimes.Add(uint64(took))
	c.latency.Add(uint64(t.Total))
	c.success.Add(1)
}

// Missed counts a request that the response cache could not answer; it is counted as Succeeded too.
func (c *Counters) Missed(took time.Duration) {
	c.missNs.Add(uint64(took))
	c.misses.Add(1)
	c.missTimes.Add(uint64(took))
}

// Failed counts a request that was accepted but not answered.
func (c *Counters) Failed(why Reason, took time.Duration) {
	c.failNs.Add(uint64(took))
	c.failures[why].Add(1)
}

// Executed counts one execution of size items, even a failed one.
func (c *Counters) Executed(size int64, t infer.Timings) {
	c.executions.Add(1)
	c.lastMs.Store(uint64(time.Now().UnixMilli()))
	c.batches.add(size, t)
}
