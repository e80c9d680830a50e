// Package about says what this program is: its version, its licence, and the licences of the works of
// others that it contains.
package about

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"runtime/debug"
)

// Version is the version of this release.
const Version = "0.1.0"

// License is the name of Conch's own licence; the file LICENSE is its text.
const License = "Apache-2.0"

// compressed is written by `make licenses`.
//
//go:embed notices.txt.gz
var compressed []byte

// Notices returns the licences of the works of others that Conch contains.
func Notices() (string, error) {
	r, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return "", fmt.Errorf("unpack the licences: %w", err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return "", fmt.Errorf("unpack the licences: %w", err)
	}
	return string(text), nil
}

// Revision returns the commit that the program was built from; empty where the build does not know it.
func Revision() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return ""
}

// Full returns the version with the beginning of the revision: "0.1.0 (1a2b3c4d)".
func Full() string {
	if r := Revision(); r != "" {
		return Version + " (" + r[:min(len(r), 8)] + ")"
	}
	return Version
}
