// Package sampler turns an engine's counters, which only grow, into what happened in each second, and
// that into the rates of this moment. It is pure: no clock, no connection.
//
// Nothing in it is safe for concurrent use.
package sampler

import (
	"math"
	"time"

	"conch/app/store"
	"conch/engine/histogram"
	"conch/engine/kserve/enginepb"
)

// Differ keeps the last counters.
type Differ struct {
	time int64
	cpu  uint64
	seen map[key]counters
	used map[string]float64 // joules of each GPU, by UUID
}

// New returns a Differ for counters that were zero at that time.
func New(zero time.Time) *Differ { return &Differ{time: zero.UnixMilli()} }

// key identifies a series of counters. With a new generation they begin again from zero.
type key struct {
	name    string
	version int64
}

type counters struct {
	generation uint64
	store.Counters
	clients store.Counters
}

// Next returns what happened since the last answer. Versions of a model are summed.
func (d *Differ) Next(answer *enginepb.SampleResponse) store.Sample {
	sample := store.Sample{Time: time.UnixMilli(answer.TimeMs), Memory: answer.ResidentBytes, Models: map[string]store.Counters{}}
	now := make(map[key]counters, len(answer.Models))
	for _, m := range answer.Models {
		k := key{m.Name, m.Version}
		now[k] = counters{m.Generation, read(m), readClients(m)}
		before := d.seen[k]
		if now[k].generation != before.generation {
			before = counters{}
		}
		sample.Models[m.Name] = sample.Models[m.Name].Plus(since(now[k].Counters, before.Counters))
		sample.Clients = sample.Clients.Plus(since(now[k].clients, before.clients))
	}
	sample.Covered = time.Duration(max(answer.TimeMs-d.time, 0)) * time.Millisecond
	if d.seen != nil { // what the start took does not count
		sample.CPU = time.Duration(less(answer.CpuNs, d.cpu))
	}
	if answer.GpuTrouble == "" && sample.Covered > 0 { // of a driver that hangs only its last answer is known
		sample.GPUs = d.gpus(answer)
	}
	d.time, d.cpu, d.seen = answer.TimeMs, answer.CpuNs, now
	return sample
}

// gpus returns what GPUs do, and what they used since an answer last told it. An answer without GPUs forgets nothing: the metrics page
// of a server elsewhere was not read.
func (d *Differ) gpus(answer *enginepb.SampleResponse) (out []store.GPUSample) {
	if len(answer.Gpus) == 0 {
		return nil
	}
	used := map[string]float64{}
	for i, g := range answer.Gpus {
		energy := math.NaN()
		if i < len(answer.GpuEnergy) && answer.GpuEnergy[i] >= 0 {
			used[g.Uuid] = answer.GpuEnergy[i]
			if before, known := d.used[g.Uuid]; known && before <= used[g.Uuid] { // else its count begins here
				energy = used[g.Uuid] - before
			}
		}
		out = append(out, store.GPUSample{
			GPU:         store.GPU{Index: int(g.Index), UUID: g.Uuid, Name: g.Name},
			Utilization: told(g.Utilization), Used: told(g.UsedBytes), Total: told(g.TotalBytes), Power: told(g.PowerWatts),
			Temperature: told(g.Temperature), Limit: told(g.MaxPowerWatts), Energy: energy,
		})
	}
	d.used = used
	return out
}

// told returns what a driver tells; -1 stands for what it does not.
func told(n float64) float64 {
	if n < 0 {
		return math.NaN()
	}
	return n
}

func read(m *enginepb.ModelSample) store.Counters {
	c := store.Counters{
		Requests:   m.Success,
		Failures:   m.Failure,
		Inferences: m.Inferences,
		Executions: m.Executions,
		RequestNs:  m.RequestNs,
		QueueNs:    m.QueueNs,
		InputNs:    m.InputNs,
		InferNs:    m.InferNs,
		OutputNs:   m.OutputNs,
	}
	c.Latency = readLatency(m.Latency)
	return c
}

// readClients reads what clients sent. Ensembles and other models cause inferences and executions too,
// so these are all of the model's.
func readClients(m *enginepb.ModelSample) store.Counters {
	c := m.Clients
	return store.Counters{
		Requests: c.GetSuccess(), Failures: c.GetFailure(), Inferences: m.Inferences, Executions: m.Executions, RequestNs: c.GetRequestNs(),
		QueueNs: c.GetQueueNs(), InputNs: c.GetInputNs(), InferNs: c.GetInferNs(), OutputNs: c.GetOutputNs(),
		Latency: readLatency(c.GetLatency()),
	}
}

func readLatency(h *enginepb.Histogram) histogram.Counts {
	if h == nil || len(h.Index) != len(h.Count) {
		return histogram.Counts{}
	}
	return histogram.Counts{Index: h.Index, Count: h.Count}
}

// since subtracts, unless the counters began again.
func since(a, b store.Counters) store.Counters {
	if a.Requests < b.Requests || a.Failures < b.Failures {
		return a
	}
	latency, ok := a.Latency.Since(b.Latency)
	if !ok {
		return a
	}
	return store.Counters{
		Requests:   a.Requests - b.Requests,
		Failures:   a.Failures - b.Failures,
		Inferences: less(a.Inferences, b.Inferences),
		Executions: less(a.Executions, b.Executions),
		RequestNs:  less(a.RequestNs, b.RequestNs),
		QueueNs:    less(a.QueueNs, b.QueueNs),
		InputNs:    less(a.InputNs, b.InputNs),
		InferNs:    less(a.InferNs, b.InferNs),
		OutputNs:   less(a.OutputNs, b.OutputNs),
		Latency:    latency,
	}
}

// less subtracts counters that are read one after the other, so that one may be older.
func less(a, b uint64) uint64 { return a - min(a, b) }
