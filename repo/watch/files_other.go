//go:build !linux && !windows

package watch

// foldersAreWatched: kqueue opens each file of a folder, which may have thousands.
const foldersAreWatched = false
