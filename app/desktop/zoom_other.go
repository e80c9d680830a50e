//go:build desktop && !linux

package desktop

// zoom does nothing: the window is built for Linux.
func zoom(int) {}
