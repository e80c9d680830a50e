package httpapi

import (
	"conch/engine/infer"
	"conch/engine/kserve"
	"conch/engine/kserve/httpapi/jsondoc"
)

func (h *handler) allStatistics(c *call) error { return h.statistics(c, "", infer.Latest) }

func (h *handler) modelStatistics(c *call) error {
	version, err := c.versionOf()
	if err != nil {
		return err
	}
	return h.statistics(c, c.model, version)
}

func (h *handler) statistics(c *call, model string, version int64) error {
	stats, err := h.svc.Statistics(model, version)
	if err != nil {
		return err
	}
	var b jsondoc.Builder
	b.Begin('{')
	b.Key("model_stats")
	b.Begin('[')
	for i := range stats {
		writeStatistics(&b, &stats[i])
	}
	b.End(']')
	b.End('}')
	c.json(b.Bytes)
	return nil
}

// duration is a kserve.Duration and its name.
type duration struct {
	name  string
	value kserve.Duration
}

// writeStatistics writes the members in Triton's order (docs/triton/metrics.md, "Statistics").
func writeStatistics(b *jsondoc.Builder, s *kserve.Statistics) {
	b.Begin('{')
	b.Member("name", s.Name)
	b.Member("version", s.Version)
	b.Key("last_inference")
	b.Uint(s.LastInference)
	b.Key("inference_count")
	b.Uint(s.InferenceCount)
	b.Key("execution_count")
	b.Uint(s.ExecutionCount)
	b.Key("inference_stats")
	b.Begin('{')
	writeDurations(b, []duration{
		{"success", s.Success}, {"fail", s.Fail}, {"queue", s.Queue}, {"compute_input", s.ComputeInput},
		{"compute_infer", s.ComputeInfer}, {"compute_output", s.ComputeOutput},
		{"cache_hit", s.CacheHit}, {"cache_miss", s.CacheMiss},
	})
	b.End('}')
	b.Key("response_stats")
	b.Begin('{')
	b.End('}')
	writeBatches(b, s.Batches)
	b.Key("memory_usage")
	b.Begin('[')
	b.End(']')
	b.End('}')
}

func writeBatches(b *jsondoc.Builder, batches []kserve.BatchStatistics) {
	b.Key("batch_stats")
	b.Begin('[')
	for _, batch := range batches {
		b.Begin('{')
		b.Key("batch_size")
		b.Uint(batch.Size)
		writeDurations(b, []duration{
			{"compute_input", batch.ComputeInput}, {"compute_infer", batch.ComputeInfer},
			{"compute_output", batch.ComputeOutput},
		})
		b.End('}')
	}
	b.End(']')
}

func writeDurations(b *jsondoc.Builder, durations []duration) {
	for _, d := range durations {
		b.Key(d.name)
		b.Begin('{')
		b.Key("count")
		b.Uint(d.value.Count)
		b.Key("ns")
		b.Uint(d.value.Ns)
		b.End('}')
	}
}
