// Package examples carries the example repository, so that the program can open it wherever it is installed.
package examples

import (
	"embed"
	"io/fs"
)

//go:embed all:repository
var files embed.FS

// Repository returns the example repository; its models lie at the root.
func Repository() fs.FS {
	repository, err := fs.Sub(files, "repository")
	if err != nil {
		panic(err) // "repository" is a constant and a valid path
	}
	return repository
}
