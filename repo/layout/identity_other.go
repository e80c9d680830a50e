//go:build !unix

package layout

import "io/fs"

func identityOf(fs.FileInfo) (Identity, bool) { return Identity{}, false }
