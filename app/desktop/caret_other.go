//go:build desktop && !linux

package desktop

// restCaret does nothing: the window is built for Linux.
func restCaret(bool) {}
