// Package repo keeps an up-to-date Index of model repositories on disk: it
// scans them (repo/scan), watches them (repo/watch) and hands a new Index to
// its subscribers. It knows names and files (repo/layout) but no engine,
// and judges no config. Writing is in repo/write.
//
// An Index is immutable; Seq grows with every change. Any goroutine may call
// any method. A subscriber that is slow misses states in between, never the
// latest one, and delays nobody.
package repo
