// Package system is what package filelock asks the system. Tests of disks whose locks are missing or not seen put another one in its place,
// by package filelocktest: no such disk can be made where tests run.
package system

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"sync"
	"sync/atomic"
)

// System answers for a machine and its disk.
type System struct {
	// Try takes the lock of an open file, as filelock.Try says.
	Try func(f *os.File) (locked bool, err error)
	// Machine tells this machine, or container, from others that share a disk with it. It is fit for the name of a file.
	Machine string
}

// Instead is taken in the place of the real system where it is not nil (engine/filelock/filelocktest).
var Instead atomic.Pointer[System]

var real = sync.OnceValue(func() System {
	name, _ := os.Hostname() // without a name all such machines count as one
	sum := sha256.Sum256([]byte(name))
	return System{flock, hex.EncodeToString(sum[:5])}
})

// Now is the system that is asked now.
func Now() System {
	if s := Instead.Load(); s != nil {
		return *s
	}
	return real()
}
