// Package workspace joins everything that is known about the open repository into one numbered snapshot: what
// lies on disk, what is wrong with it, what the engine does with it, and how busy it is. Whoever subscribes gets
// the whole first and then what changed; for a slow reader changes are merged, and nobody waits for it.
//
// Facts come in from their sources (a repository's scans, the engine's events, the second's counters, the checks
// in the background) and are taken in under one lock, which is held for no longer than it takes to note them.
// Commands go the other way as plain calls to the engine. A Workspace is safe for concurrent use.
package workspace
