//go:build desktop && !linux

package desktop

// loadPlainEGL does nothing: the window is built for Linux.
func loadPlainEGL(string) {}
