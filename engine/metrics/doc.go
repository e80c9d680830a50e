// Package metrics counts what a loaded version does, with Triton's meaning of every number
// (docs/triton/metrics.md, "What counts as what"). Counting is a handful of atomic adds and never
// allocates once a batch size and a latency were seen; reading takes a copy. Nothing here knows a
// transport.
package metrics
