//go:build !linux

package recovery

import "os"

// allocate is left to the writing of the file.
func allocate(*os.File, int64) error { return nil }
