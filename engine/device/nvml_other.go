//go:build !linux && !windows

package device

// none is the library of a system for which NVIDIA has none.
type none struct{}

func newLibrary() library { return none{} }

func (none) open() error             { return errAbsent }
func (none) read() (Snapshot, error) { return Snapshot{}, errAbsent }
func (none) close()                  {}
