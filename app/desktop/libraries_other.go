//go:build desktop && !linux

package desktop

// openLibraries does nothing: the program is linked with them.
func openLibraries([]string) error { return nil }
