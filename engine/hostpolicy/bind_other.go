//go:build !linux

package hostpolicy

// Do runs f. Threads are bound on Linux alone, as Triton binds none on Windows.
func (p Policy) Do(f func()) error {
	f()
	return nil
}
