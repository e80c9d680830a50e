package layout

import (
	"fmt"
	"io/fs"
)

// Identity tells folders apart, whatever path leads to them. Where the system
// does not number them, the path stands for the folder.
type Identity struct {
	device, inode uint64
	path          string
}

// IdentityOf returns the identity of the folder at a path, which info describes.
func IdentityOf(path string, info fs.FileInfo) Identity {
	device, inode, ok := numbersOf(info)
	if !ok {
		return Identity{path: path}
	}
	return Identity{device: device, inode: inode}
}

// String is "" where the system does not number folders: another folder at the
// same path cannot be told from the one before.
func (i Identity) String() string {
	if i.path != "" {
		return ""
	}
	return fmt.Sprintf("%d:%d", i.device, i.inode)
}
