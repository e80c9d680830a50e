// Package metrics counts what a loaded version does, with Triton's meaning of every number
// (triton-runtime D10). Counting is a handful of atomic adds and never allocates once a batch size and a latency
// were seen; reading takes a copy. Nothing here knows a transport.
package metrics
