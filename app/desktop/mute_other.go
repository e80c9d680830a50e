//go:build desktop && !linux

package desktop

// loadMute does nothing: the window is built for Linux.
func loadMute() []string { return nil }
