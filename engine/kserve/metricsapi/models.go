package metricsapi

import (
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"conch/engine/kserve"
)

// family is a metric that every model has.
type family struct {
	name, help string
	kind       prometheus.ValueType
	value      func(m *kserve.ModelMetrics) float64
}

// families are Triton's, in its order and words (docs/triton/metrics.md, "Families").
var families = []family{
	counter("nv_inference_request_success", "Number of successful inference requests, all batch sizes",
		func(m *kserve.ModelMetrics) uint64 { return m.Success.Count }),
	counter("nv_inference_count", "Number of inferences performed (does not include cached requests)",
		func(m *kserve.ModelMetrics) uint64 { return m.InferenceCount }),
	counter("nv_inference_exec_count", "Number of model executions performed (does not include cached requests)",
		func(m *kserve.ModelMetrics) uint64 { return m.ExecutionCount }),
	counter("nv_inference_request_duration_us", "Cumulative inference request duration in microseconds (includes cached requests)",
		func(m *kserve.ModelMetrics) uint64 { return m.Success.Ns / 1000 }),
	counter("nv_inference_queue_duration_us", "Cumulative inference queuing duration in microseconds (includes cached requests)",
		func(m *kserve.ModelMetrics) uint64 { return m.Queue.Ns / 1000 }),
	counter("nv_inference_compute_input_duration_us",
		"Cumulative compute input duration in microseconds (does not include cached requests)",
		func(m *kserve.ModelMetrics) uint64 { return m.ComputeInput.Ns / 1000 }),
	counter("nv_inference_compute_infer_duration_us",
		"Cumulative compute inference duration in microseconds (does not include cached requests)",
		func(m *kserve.ModelMetrics) uint64 { return m.ComputeInfer.Ns / 1000 }),
	counter("nv_inference_compute_output_duration_us",
		"Cumulative inference compute output duration in microseconds (does not include cached requests)",
		func(m *kserve.ModelMetrics) uint64 { return m.ComputeOutput.Ns / 1000 }),
	gauge("nv_inference_pending_request_count", "Instantaneous number of pending requests awaiting execution per-model.",
		func(m *kserve.ModelMetrics) float64 { return float64(m.Pending) }),
	gauge("nv_model_load_duration_secs", "Model load time in seconds",
		func(m *kserve.ModelMetrics) float64 { return m.Load.Seconds() }),
}

// cacheFamilies are for models whose responses are cached.
var cacheFamilies = []family{
	counter("nv_cache_num_hits_per_model", "Number of cache hits per model",
		func(m *kserve.ModelMetrics) uint64 { return m.CacheHit.Count }),
	counter("nv_cache_num_misses_per_model", "Number of cache misses per model",
		func(m *kserve.ModelMetrics) uint64 { return m.CacheMiss.Count }),
	counter("nv_cache_hit_duration_per_model", "Total cache hit duration per model, in microseconds",
		func(m *kserve.ModelMetrics) uint64 { return m.CacheHit.Ns / 1000 }),
	counter("nv_cache_miss_duration_per_model", "Total cache miss (insert+lookup) duration per model, in microseconds",
		func(m *kserve.ModelMetrics) uint64 { return m.CacheMiss.Ns / 1000 }),
}

// failures has one more label than the others: the reason.
var (
	failureName    = "nv_inference_request_failure"
	failureHelp    = "Number of failed inference requests, all batch sizes"
	failureReasons = [...]string{"REJECTED", "CANCELED", "BACKEND", "OTHER"}
)

func counter(name, help string, value func(*kserve.ModelMetrics) uint64) family {
	return family{name, help, prometheus.CounterValue, func(m *kserve.ModelMetrics) float64 { return float64(value(m)) }}
}

func gauge(name, help string, value func(*kserve.ModelMetrics) float64) family {
	return family{name, help, prometheus.GaugeValue, value}
}

// models collects the families of every ready version.
type models struct {
	reporter kserve.MetricsReporter
	options  Options
	windows  windows
}

// newModels returns a collector. It collects nothing from a service that does not report metrics.
func newModels(svc kserve.Service, o Options) prometheus.Collector {
	reporter, _ := svc.(kserve.MetricsReporter)
	return &models{reporter: reporter, options: o}
}

// Describe sends nothing, because metric_tags give each model its own labels.
func (c *models) Describe(chan<- *prometheus.Desc) {}

// Collect sends every series.
func (c *models) Collect(ch chan<- prometheus.Metric) {
	if c.reporter == nil {
		return
	}
	reported := rows(c.reporter.ModelMetrics())
	for i := range reported {
		c.collect(ch, &reported[i])
		if c.options.Summaries {
			c.sendSummaries(ch, &reported[i])
		}
		if c.options.Histograms {
			sendFirst(ch, &reported[i])
		}
	}
	c.windows.forget(reported)
}

// silent returns a model with only the numbers that counter_latencies=false leaves.
func silent(m *kserve.ModelMetrics) *kserve.ModelMetrics {
	return &kserve.ModelMetrics{
		Statistics: kserve.Statistics{Name: m.Name, Version: m.Version}, Pending: m.Pending, Load: m.Load, Tags: m.Tags,
		Namespace: m.Namespace, Ensemble: m.Ensemble, GPU: m.GPU,
	}
}

func (c *models) collect(ch chan<- prometheus.Metric, m *kserve.ModelMetrics) {
	if c.options.NoCounters {
		m = silent(m)
	}
	names, values := labels(m)
	list := families
	if m.Caches {
		list = slices.Concat(families, cacheFamilies)
	}
	for _, f := range list {
		if c.options.NoCounters && strings.HasSuffix(f.name, "_duration_us") {
			continue
		}
		desc := prometheus.NewDesc(f.name, f.help, names, nil)
		sendSeries(ch, desc, f.kind, f.value(m), values)
	}
	desc := prometheus.NewDesc(failureName, failureHelp, append(slices.Clone(names), "reason"), nil)
	for i, reason := range failureReasons {
		sendSeries(ch, desc, prometheus.CounterValue, float64(m.Failures[i]), append(slices.Clone(values), reason))
	}
}

func sendSeries(ch chan<- prometheus.Metric, desc *prometheus.Desc, kind prometheus.ValueType, value float64, labels []string) {
	metric, err := prometheus.NewConstMetric(desc, kind, value, labels...)
	if err != nil {
		metric = prometheus.NewInvalidMetric(desc, err)
	}
	ch <- metric
}

// labels returns the model, its version, its GPU if the numbers are about one, its namespace if there are namespaces, and its
// metric_tags.
func labels(m *kserve.ModelMetrics) (names, values []string) {
	names, values = []string{"model", "version"}, []string{m.Name, m.Version}
	if m.GPU != "" {
		names, values = append(names, "gpu_uuid"), append(values, m.GPU)
	}
	if m.Namespace != "" {
		names, values = append(names, "namespace"), append(values, m.Namespace)
	}
	for _, key := range kserve.SortedKeys(m.Tags) {
		names, values = append(names, "_"+key), append(values, m.Tags[key])
	}
	return names, values
}
