package layout

import (
	"context"
	"io/fs"
	"path"
)

const (
	// MaxLinked bounds the files and folders behind links to folders in one
	// model. A link to the root of the system must cost next to nothing.
	MaxLinked = 10_000
	// maxCounted bounds what is counted to find out.
	maxCounted = 3 * MaxLinked
)

// Linked counts what links to folders lead to in one model. The zero value
// has counted nothing yet.
type Linked struct{ taken, counted int }

// Fits reports whether a folder that a link leads to is small enough to be looked
// at, together with those before it. It is looked at whole or not at all: what
// is left out does then not depend on what changes there. Links in the folder
// are not followed; they are asked for when a walk comes to them.
func (l *Linked) Fits(ctx context.Context, dir string, list func(dir string) ([]fs.DirEntry, error)) bool {
	entries := 0
	for next := []string{dir}; len(next) > 0; next = next[1:] {
		if l.counted > maxCounted || ctx.Err() != nil {
			return false
		}
		found, _ := list(next[0]) // of one that cannot be read the scan tells
		entries += len(found)
		l.counted += len(found)
		if l.taken+entries > MaxLinked {
			return false
		}
		for _, e := range found {
			if e.IsDir() && !NoiseDir(e.Name()) {
				next = append(next, path.Join(next[0], e.Name()))
			}
		}
	}
	l.taken += entries
	return true
}
