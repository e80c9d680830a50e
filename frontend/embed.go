// Package frontend holds the built user interface, so that one binary carries it. It knows nothing of who
// serves it. Before the first build of the frontend the folder holds no index.html; see Built.
package frontend

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var files embed.FS

// Dist returns the built files with index.html at its root.
func Dist() fs.FS {
	dist, err := fs.Sub(files, "dist")
	if err != nil {
		panic(err) // "dist" is a constant and a valid path
	}
	return dist
}

// Built reports whether the user interface was built before the binary was.
func Built() bool {
	_, err := fs.Stat(files, "dist/index.html")
	return err == nil
}
