// Package recovery keeps unsaved texts in recovery files while the history does not take them, or must
// not have them yet. The next start reads them.
//
// The drafts of a root are written to the first place that takes them: a file in the data folder,
// space that was reserved there, a folder of this user elsewhere. Each write replaces the one before,
// and survives a power cut whole. Where several places have drafts, the newest count.
//
// Files are safe for concurrent use. The package does not know what the texts mean, and does not
// choose what is written: package overlay does.
package recovery
