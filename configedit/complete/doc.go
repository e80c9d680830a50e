// Package complete answers what may be written at a place in a config, and what stands there: completion and
// hover. It works in broken text, and knows the repository's other models through check.Env. All functions are
// pure and may be called concurrently.
package complete
