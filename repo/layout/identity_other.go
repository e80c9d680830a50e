//go:build !unix

package layout

import "io/fs"

func numbersOf(fs.FileInfo) (device, inode uint64, ok bool) { return 0, 0, false }
