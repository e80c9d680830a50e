package metricsapi

import (
	"maps"
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"conch/engine/kserve"
	"conch/engine/metrics/own"
)

// ownMetrics collects the metrics that models define themselves. It describes nothing, since any may come.
type ownMetrics struct{ reporter kserve.OwnReporter }

func newOwn(svc kserve.Service) prometheus.Collector {
	reporter, _ := svc.(kserve.OwnReporter)
	return ownMetrics{reporter}
}

// Describe sends nothing.
func (c ownMetrics) Describe(chan<- *prometheus.Desc) {}

// Collect sends what models have set.
func (c ownMetrics) Collect(ch chan<- prometheus.Metric) {
	if c.reporter == nil {
		return
	}
	for _, r := range c.reporter.OwnMetrics() {
		names := slices.Sorted(maps.Keys(r.Labels))
		values := make([]string, len(names))
		for i, name := range names {
			values[i] = r.Labels[name]
		}
		desc := prometheus.NewDesc(r.Name, r.Description, names, nil)
		var m prometheus.Metric
		var err error
		switch r.Kind {
		case own.Histogram:
			m, err = prometheus.NewConstHistogram(desc, r.Count, r.Value, r.Buckets, values...)
		case own.Counter:
			m, err = prometheus.NewConstMetric(desc, prometheus.CounterValue, r.Value, values...)
		default:
			m, err = prometheus.NewConstMetric(desc, prometheus.GaugeValue, r.Value, values...)
		}
		if err == nil { // a label that is not UTF-8 would spoil the whole page
			ch <- m
		}
	}
}
