// Package metricsapi serves a kserve.Service's counters as Prometheus text, with Triton's families and
// labels: those that exist on a machine without a GPU. "C3" in a comment is a section of the runtime reference.
//
// It keeps nothing but the processor times of the page before; a page is made from the service's own counters
// when it is asked for.
package metricsapi
