// Package store keeps what outlives a run: metrics, requests that were tried, notices, settings and the
// repositories opened before, in one SQLite file.
//
// Whatever comes every second is queued and written in one transaction a second, so that a kill -9 loses at
// most that second and never the file. Several Conch processes may use one file. A file that is damaged, or
// that a newer Conch wrote, is moved aside and a fresh one begun; Trouble tells. Unsaved texts that cannot be in the
// database, or must not be there yet, are in recovery files (package recovery).
//
// A Store is safe for concurrent use. It knows nothing of the workbench's API: bodies are bytes to it.
package store
