// Package metrics counts the requests and executions of a loaded version. Every number has Triton's
// meaning (docs/triton/metrics.md, "What counts as what"). Counting takes a few atomic adds, and
// allocates only for a new batch size or latency. Reading takes a copy. The package does not depend
// on a transport.
package metrics
