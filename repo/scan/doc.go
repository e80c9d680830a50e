// Package scan turns model repositories on disk into an immutable, numbered
// Index: models, versions, files, config variants, and what lies around that
// is no model.
//
// An Index and everything reachable from it never changes once it is
// returned, and may be read from any goroutine. A later Index shares the
// *Model of every model that did not change, so comparing pointers tells
// what did. Seq grows by one when, and only when, something changed.
//
// Trouble with one file or model is recorded in the Index (Problems) and never
// stops a scan. The package judges no config: it holds its bytes. It looks
// once and does not watch; conch/repo/watch tells when to look again.
package scan
