// Package metricsapi serves a kserve.Service's counters as Prometheus text, with Triton's families
// and labels (docs/triton/metrics.md).
//
// It keeps the processor times of the last page and, for the quantiles, histograms of the last
// minute. A page is made from the service's counters at each request.
package metricsapi
