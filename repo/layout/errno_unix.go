//go:build unix

package layout

import (
	"errors"
	"syscall"
)

// isNotDir says that a step of the path was a file.
func isNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
