package answers

// SetMost sets how much memory the kept tensors may take, until the returned function is called.
func SetMost(bytes int) (back func()) {
	old := most
	most = bytes
	return func() { most = old }
}
