package metrics

import (
	"sync/atomic"

	"conch/engine/histogram"
	"conch/engine/infer"
)

// clients counts the requests that clients sent. The other counters of a version also count the
// requests that ensembles and other models made.
type clients struct {
	success, failure                    atomic.Uint64
	requestNs                           atomic.Uint64
	queueNs, inputNs, inferNs, outputNs atomic.Uint64
	latency                             histogram.Live
}

// Clients is a copy of the counts of the requests that clients sent.
type Clients struct {
	Success, Failure                    uint64
	RequestNs                           uint64
	QueueNs, InputNs, InferNs, OutputNs uint64
	Latency                             histogram.Counts
}

// ClientAnswered counts a client's request that was answered, by an execution or from the response
// cache.
func (c *Counters) ClientAnswered(t infer.Timings) {
	c.clients.requestNs.Add(uint64(t.Total))
	c.clients.queueNs.Add(uint64(t.Queue))
	c.clients.inputNs.Add(uint64(t.Input))
	c.clients.inferNs.Add(uint64(t.Infer))
	c.clients.outputNs.Add(uint64(t.Output))
	c.clients.latency.Add(uint64(t.Total))
	c.clients.success.Add(1)
}

// ClientFailed counts a client's request that was accepted but not answered.
func (c *Counters) ClientFailed() { c.clients.failure.Add(1) }

func (c *clients) sums() Clients {
	return Clients{
		Success: c.success.Load(), Failure: c.failure.Load(), RequestNs: c.requestNs.Load(),
		QueueNs: c.queueNs.Load(), InputNs: c.inputNs.Load(), InferNs: c.inferNs.Load(), OutputNs: c.outputNs.Load(),
		Latency: c.latency.Counts(),
	}
}

func (c Clients) plus(past Clients) Clients {
	return Clients{
		Success: c.Success + past.Success, Failure: c.Failure + past.Failure, RequestNs: c.RequestNs + past.RequestNs,
		QueueNs: c.QueueNs + past.QueueNs, InputNs: c.InputNs + past.InputNs,
		InferNs: c.InferNs + past.InferNs, OutputNs: c.OutputNs + past.OutputNs,
		Latency: c.Latency.Merge(past.Latency),
	}
}
