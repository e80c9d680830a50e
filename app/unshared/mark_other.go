//go:build !linux

package unshared

// While runs open. Only on Linux does the window open files that programs inherit.
func While(open func()) { open() }

// Mark does nothing.
func Mark() {}
