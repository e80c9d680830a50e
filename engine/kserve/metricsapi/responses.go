package metricsapi

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"conch/engine/cache"
	"conch/engine/kserve"
)

// responses collects the metrics of the response cache. As in Triton, they are gauges, although
// some only grow (docs/triton/metrics.md, "Families").
type responses struct{ reporter kserve.CacheReporter }

func newResponses(svc kserve.Service) prometheus.Collector {
	reporter, _ := svc.(kserve.CacheReporter)
	return responses{reporter}
}

// cacheGauges are Triton's, in its words.
var cacheGauges = []struct {
	desc  *prometheus.Desc
	value func(n *cache.Numbers) float64
}{
	{described("nv_cache_util", "Cache utilization [0.0 - 1.0]"), func(n *cache.Numbers) float64 { return float64(n.Used) / float64(n.Limit) }},
	{described("nv_cache_num_entries", "Number of responses stored in response cache"), func(n *cache.Numbers) float64 { return float64(n.Entries) }},
	{described("nv_cache_num_hits", "Number of cache hits in response cache"), func(n *cache.Numbers) float64 { return float64(n.Hits) }},
	{described("nv_cache_num_misses", "Number of cache misses in response cache"), func(n *cache.Numbers) float64 { return float64(n.Misses) }},
	{described("nv_cache_num_lookups", "Number of cache lookups in response cache"), func(n *cache.Numbers) float64 { return float64(n.Lookups) }},
	{described("nv_cache_num_evictions", "Number of cache evictions in response cache"), func(n *cache.Numbers) float64 { return float64(n.Evictions) }},
	{
		described("nv_cache_lookup_duration", "Total cache lookup duration (hit and miss), in microseconds"),
		func(n *cache.Numbers) float64 { return float64(n.LookupTime / time.Microsecond) },
	},
	{
		described("nv_cache_insertion_duration", "Total cache insertion duration, in microseconds"),
		func(n *cache.Numbers) float64 { return float64(n.InsertionTime / time.Microsecond) },
	},
}

func described(name, help string) *prometheus.Desc { return prometheus.NewDesc(name, help, nil, nil) }

// Describe names the gauges.
func (c responses) Describe(ch chan<- *prometheus.Desc) {
	for _, g := range cacheGauges {
		ch <- g.desc
	}
}

// Collect sends nothing where there is no cache.
func (c responses) Collect(ch chan<- prometheus.Metric) {
	if c.reporter == nil {
		return
	}
	n, there := c.reporter.CacheMetrics()
	if !there {
		return
	}
	for _, g := range cacheGauges {
		ch <- prometheus.MustNewConstMetric(g.desc, prometheus.GaugeValue, g.value(&n))
	}
}
