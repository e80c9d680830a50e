//go:build linux || windows

package watch

// foldersAreWatched: a watch of a folder costs the same however many files it has.
const foldersAreWatched = true
