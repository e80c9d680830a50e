package metricsapi

import "github.com/prometheus/client_golang/prometheus"

// pinned is the pool of pinned memory for GPUs. It has 0 bytes where no GPU has used it.
type pinned struct{ sizes func() (total, used int64) }

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
func (p pinned) Collect(ch chan<- prometheus.Metric) {
	var total, used int64
	if p.sizes != nil {
		total, used = p.sizes()
	}
	ch <- prometheus.MustNewConstMetric(pinnedTotal, prometheus.GaugeValue, float64(total))
	ch <- prometheus.MustNewConstMetric(pinnedUsed, prometheus.GaugeValue, float64(used))
}
