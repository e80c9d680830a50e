//go:build !desktop

package desktop

// Available reports whether this build has a window.
func Available() bool { return false }

// Run fails, and says what to do instead.
func Run(Options) error { return ErrNotBuilt }
