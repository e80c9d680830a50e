// Package recovery keeps unsaved texts in recovery files while the history does not take them, or must not have them yet.
// The next start reads them.
//
// The files of a root are written to the first place that takes them: a file in the data folder, space that was reserved
// there, a folder of this user elsewhere. Each write replaces what was there, and is whole after a power cut too. Of
// several places the newest text counts.
//
// Files are safe for concurrent use. The package does not know what the texts mean, and does not decide which are written:
// package overlay does.
package recovery
