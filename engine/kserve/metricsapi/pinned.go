package metricsapi

import "github.com/prometheus/client_golang/prometheus"

// pinned is Triton's pool of pinned memory for GPUs. Conch has none and reports that to monitors.
type pinned struct{}

var (
	pinnedTotal = prometheus.NewDesc("nv_pinned_memory_pool_total_bytes", "Pinned memory pool total memory size, in bytes", nil, nil)
	pinnedUsed  = prometheus.NewDesc("nv_pinned_memory_pool_used_bytes", "Pinned memory pool used memory size, in bytes", nil, nil)
)

// Describe names the gauges.
func (pinned) Describe(ch chan<- *prometheus.Desc) {
	ch <- pinnedTotal
	ch <- pinnedUsed
}

// Collect sends them.
func (pinned) Collect(ch chan<- prometheus.Metric) {
	ch <- prometheus.MustNewConstMetric(pinnedTotal, prometheus.GaugeValue, 0)
	ch <- prometheus.MustNewConstMetric(pinnedUsed, prometheus.GaugeValue, 0)
}
