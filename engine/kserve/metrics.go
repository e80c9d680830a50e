package kserve

import (
	"time"

	"conch/engine/cache"
	"conch/engine/device"
	"conch/engine/histogram"
	"conch/engine/metrics"
	"conch/engine/metrics/own"
)

// MetricsReporter is an optional interface of a Service: it returns the metrics of each model.
// Unlike Statistics, the counters go on over a change in place and end with an unload
// (docs/triton/metrics.md, "Labels").
type MetricsReporter interface {
	ModelMetrics() []ModelMetrics
}

// CacheReporter is an optional interface of a Service: it returns the metrics of the response cache. It returns
// false when there is no cache.
type CacheReporter interface {
	CacheMetrics() (cache.Numbers, bool)
}

// OwnReporter is an optional interface of a Service: it returns the metrics that models define themselves.
type OwnReporter interface {
	OwnMetrics() []own.Reading
}

// DeviceReporter is an optional interface of a Service: it returns what is known of the GPUs of the machine.
type DeviceReporter interface {
	Devices() device.Snapshot
}

// ModelMetrics are the metrics of one ready version, or of what of it ran on one GPU. Batches is empty.
type ModelMetrics struct {
	Statistics
	// GPU is the UUID of the GPU, where it is about one alone (docs/triton/metrics.md, "Labels").
	GPU string
	// Failures are counted by reason, in the order REJECTED, CANCELED, BACKEND, OTHER.
	Failures [4]uint64
	// Namespace is the repository under --model-namespacing; "" otherwise.
	Namespace string
	Pending   int64             // requests that wait for an instance
	Load      time.Duration     // how long the last load took
	Tags      map[string]string // metric_tags of the config
	Ensemble  bool              // its counts go to version "1" (docs/triton/metrics.md, "Labels")
	Caches    bool              // its responses are cached; other models have no cache metrics
	// Latency holds the histograms of this load, by stage, and of the response cache.
	Latency Latency
	First   *metrics.FirstSnapshot // nil without --metrics-config=histogram_latencies=true
}

// Latency holds histograms in nanoseconds. The histograms begin again with each load. Each load has its own
// Generation.
type Latency struct {
	Generation                           uint64
	Request, Queue, Input, Infer, Output histogram.Counts
	CacheHit, CacheMiss                  histogram.Counts
}
