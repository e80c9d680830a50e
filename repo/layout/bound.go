package layout

import "sync/atomic"

// What is looked at in a repository is bounded. A repository opened by mistake
// on a home folder, or links that lead to a large tree, must neither fill the
// memory nor keep a processor busy. Every walk keeps to these bounds, so
// that what is listed is also what is watched.
const (
	// MaxEntries bounds the files and folders of one model.
	MaxEntries = 100_000
	// MaxAll bounds those of all models together, beyond the first level of
	// each version folder.
	MaxAll = 1_000_000
	// MaxDepth bounds the folders in folders.
	MaxDepth = 32
)

// Budget is how many more entries a walk through a whole repository may look
// at. Models that are read side by side share one.
type Budget struct{ taken atomic.Int64 }

// Take counts an entry.
func (b *Budget) Take() { b.taken.Add(1) }

// Left reports whether there are any.
func (b *Budget) Left() bool { return b.taken.Load() < MaxAll }
