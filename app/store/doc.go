// Package store keeps what outlives a run: metrics, requests that were tried, notices, settings and
// the repositories opened before, in one SQLite file.
//
// What arrives every second is queued, and one transaction a second writes the queue. So a kill -9
// loses at most that second, and never the file. Several Conch processes may use one file. A file that
// is damaged is moved aside and a new one is begun. A file of a newer Conch stays, and another file is
// used. Trouble reports it. Unsaved texts that cannot be in the database, or must not be there yet,
// are in recovery files (package recovery).
//
// A Store is safe for concurrent use. It does not know the workbench's API: bodies are bytes.
package store
