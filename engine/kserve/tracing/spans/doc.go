// Package spans sends the traces of requests to an OpenTelemetry collector, by OTLP over HTTP. Nothing is sent before a
// Sender is made, and then only to the address of its Options: the environment's variables for OpenTelemetry and proxies
// are not followed, and a redirect of the collector is refused.
//
// A Sender may be used by many requests at the same time. It drops traces when the collector is too slow.
package spans
