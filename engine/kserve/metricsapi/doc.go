// Package metricsapi serves a kserve.Service's counters as Prometheus text, with Triton's families
// and labels (docs/triton/metrics.md), as far as they exist on a machine without a GPU.
//
// It keeps nothing but the processor times of the page before; a page is made from the service's
// own counters when it is asked for.
package metricsapi
