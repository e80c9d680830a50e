//go:build !linux

package fulldisk

import "testing"

// Disk is a small disk, on Linux only.
type Disk struct{ Dir string }

// Run skips the test.
func Run(t *testing.T, _ int64, _ func(t *testing.T, disk *Disk)) {
	t.Skip("small disks are mounted on Linux only")
}

// Fill is never called.
func (*Disk) Fill(*testing.T) {}

// Free is never called.
func (*Disk) Free(*testing.T) {}
