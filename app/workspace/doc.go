// Package workspace joins everything that is known about the open repository into one numbered
// snapshot: the files on disk, the mistakes in them, the state of the engine, and the load. A
// subscriber gets the whole snapshot first, and then the changes. For a slow reader changes are
// merged, and nobody waits for it.
//
// Facts come from their sources: the repository's scans, the engine's events, the counters of each
// second, and the checks in the background. They are noted under one lock, which is held only while
// they are noted. Commands are plain calls to the engine. A Workspace is safe for concurrent use.
package workspace
