package kserve

import (
	"time"

	"conch/engine/cache"
	"conch/engine/histogram"
	"conch/engine/metrics"
)

// MetricsReporter is an optional ability of a Service: what the metrics page shows of each model.
// Unlike Statistics, the counters go on over a change in place and end with an unload
// (docs/triton/metrics.md, "Labels").
type MetricsReporter interface {
	ModelMetrics() []ModelMetrics
}

// CacheReporter is an optional ability of a Service: what the metrics page shows of the response cache. It is false
// when there is none.
type CacheReporter interface {
	CacheMetrics() (cache.Numbers, bool)
}

// ModelMetrics is one ready version. Batches is empty.
type ModelMetrics struct {
	Statistics
	// Failures are by reason, in the order REJECTED, CANCELED, BACKEND, OTHER.
	Failures [4]uint64
	// Namespace is the repository under --model-namespacing; "" otherwise.
	Namespace string
	Pending   int64             // requests that wait for an instance
	Load      time.Duration     // how long the last load took
	Tags      map[string]string // metric_tags of the config
	Ensemble  bool              // its counts go to version "1" (docs/triton/metrics.md, "Labels")
	Caches    bool              // its responses are cached; others have no series of the cache
	// Latency are histograms of this load, by stage, and of the response cache.
	Latency Latency
	First   *metrics.FirstSnapshot // nil without --metrics-config=histogram_latencies=true
}

// Latency are histograms in nanoseconds. Generation differs between any two loads, whose histograms begin anew.
type Latency struct {
	Generation                           uint64
	Request, Queue, Input, Infer, Output histogram.Counts
	CacheHit, CacheMiss                  histogram.Counts
}
