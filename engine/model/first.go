package model

import (
	"conch/configedit/modelconfig"
	"conch/engine/metrics"
)

// firstResponseFamily is the metric whose buckets a config may set (docs/triton/metrics.md,
// "Families").
const firstResponseFamily = "nv_inference_first_response_histogram_ms"

// firstBounds are the buckets' upper bounds in milliseconds: the config's, or Triton's.
func firstBounds(cfg *modelconfig.ModelConfig) []float64 {
	for _, control := range cfg.GetModelMetrics().GetMetricControl() {
		if control.GetMetricIdentifier().GetFamily() == firstResponseFamily && len(control.GetHistogramOptions().GetBuckets()) > 0 {
			return control.GetHistogramOptions().GetBuckets()
		}
	}
	return []float64{100, 500, 2000, 5000}
}

// countFirst counts first responses where the metrics page shows them.
func (l *Loader) countFirst(v *Version) {
	if l.FirstResponses {
		v.counters.First = metrics.NewFirstResponse(firstBounds(v.Config))
	}
}
