//go:build desktop && !linux

package desktop

// revive does nothing: the window is built for Linux.
func revive() {}
