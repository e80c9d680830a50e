package metricsapi

import (
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"conch/engine/histogram"
	"conch/engine/kserve"
)

// summary is a latency with quantiles, in microseconds.
type summary struct {
	name, help string
	total      func(m *kserve.ModelMetrics) kserve.Duration
	histogram  func(l *kserve.Latency) histogram.Counts
}

// requestSummary is left out for models whose responses are cached (docs/triton/metrics.md,
// "Families").
var requestSummary = summary{
	"nv_inference_request_summary_us", "Summary of inference request duration in microseconds (includes cached requests)",
	func(m *kserve.ModelMetrics) kserve.Duration { return m.Success }, func(l *kserve.Latency) histogram.Counts { return l.Request },
}

// summaries are Triton's summaries with --metrics-config=summary_latencies=true.
var summaries = []summary{
	{
		"nv_inference_queue_summary_us", "Summary of inference queuing duration in microseconds (includes cached requests)",
		func(m *kserve.ModelMetrics) kserve.Duration { return m.Queue }, func(l *kserve.Latency) histogram.Counts { return l.Queue },
	},
	{
		"nv_inference_compute_input_summary_us", "Cumulative compute input duration in microseconds (does not include cached requests)",
		func(m *kserve.ModelMetrics) kserve.Duration { return m.ComputeInput }, func(l *kserve.Latency) histogram.Counts { return l.Input },
	},
	{
		"nv_inference_compute_infer_summary_us", "Cumulative compute inference duration in microseconds (does not include cached requests)",
		func(m *kserve.ModelMetrics) kserve.Duration { return m.ComputeInfer }, func(l *kserve.Latency) histogram.Counts { return l.Infer },
	},
	{
		"nv_inference_compute_output_summary_us", "Cumulative inference compute output duration in microseconds (does not include cached requests)",
		func(m *kserve.ModelMetrics) kserve.Duration { return m.ComputeOutput }, func(l *kserve.Latency) histogram.Counts { return l.Output },
	},
}

// cacheSummaries are for models whose responses are cached.
var cacheSummaries = []summary{
	{
		"nv_cache_hit_summary_per_model", "Summary of cache hit counts/durations per model, in microseconds.",
		func(m *kserve.ModelMetrics) kserve.Duration { return m.CacheHit }, func(l *kserve.Latency) histogram.Counts { return l.CacheHit },
	},
	{
		"nv_cache_miss_summary_per_model", "Summary of cache miss counts/durations per model, in microseconds.",
		func(m *kserve.ModelMetrics) kserve.Duration { return m.CacheMiss }, func(l *kserve.Latency) histogram.Counts { return l.CacheMiss },
	},
}

// sendSummaries sends the summaries of a model.
func (c *models) sendSummaries(ch chan<- prometheus.Metric, m *kserve.ModelMetrics) {
	list := slices.Concat([]summary{requestSummary}, summaries)
	if m.Caches {
		list = slices.Concat(summaries, cacheSummaries)
	}
	names, values := labels(m)
	before := c.windows.before(time.Now(), &m.Latency)
	for _, s := range list {
		recent, _ := s.histogram(&m.Latency).Since(s.histogram(&before))
		quantiles := map[float64]float64{}
		for _, q := range c.options.Quantiles {
			quantiles[q] = recent.Percentile(q) / 1000
		}
		total := s.total(m)
		desc := prometheus.NewDesc(s.name, s.help, names, nil)
		metric, err := prometheus.NewConstSummary(desc, total.Count, float64(total.Ns/1000), quantiles, values...)
		if err != nil {
			metric = prometheus.NewInvalidMetric(desc, err)
		}
		ch <- metric
	}
}

// sendFirst sends the histogram of first responses, where it is counted.
func sendFirst(ch chan<- prometheus.Metric, m *kserve.ModelMetrics) {
	if m.First == nil {
		return
	}
	names, values := labels(m)
	desc := prometheus.NewDesc("nv_inference_first_response_histogram_ms", "Duration from request to first response in milliseconds", names, nil)
	buckets := map[float64]uint64{}
	for i, bound := range m.First.Bounds {
		buckets[bound] = m.First.Cumulative[i]
	}
	metric, err := prometheus.NewConstHistogram(desc, m.First.Count, float64(m.First.SumMs), buckets, values...)
	if err != nil {
		metric = prometheus.NewInvalidMetric(desc, err)
	}
	ch <- metric
}
