package control

import (
	"context"
	"slices"
	"strings"
)

// Library is where models come from: what control needs of a model repository. The engine knows no
// disk layout and no watcher; the program that wires it together adapts a repository to this
// interface.
//
// The adapter's duties:
//   - A Listing is immutable and complete: every folder that Triton would take for a model, of every
//     repository root (docs/triton/repository.md, "Layout"), hidden ones and duplicates included,
//     sorted by name and then by root.
//   - Two prints are equal exactly when Triton would not see a change (docs/triton/repository.md,
//     "Changes").
//   - A file that is still being written is not listed as changed before it is whole.
type Library interface {
	// Current is the newest listing known; it does not touch the disk.
	Current() *Listing
	// Refresh looks at the disk and gives a listing that is not older than the call. names limits the look to
	// these models; none means everything.
	Refresh(ctx context.Context, names ...string) (*Listing, error)
	// Subscribe gives each new listing, only the latest to a slow reader, until cancel is called or
	// the channel is closed. It may give the current one first. A library that does not watch gives a
	// channel that stays silent.
	Subscribe() (listings <-chan *Listing, cancel func())
}

// Listing is everything found at one moment.
type Listing struct {
	Seq    uint64 // grows with every change
	Models []Found
	Roots  []FoundRoot // every repository
}

// FoundRoot is a repository as a whole.
type FoundRoot struct {
	Path string // as in Found.Root
	// Identity tells the folder from another one in its place; "" where that is not known.
	Identity string
	// Trouble says why it cannot be read at the moment, so that none of its models are listed.
	Trouble error
}

// Found is one model's folder.
type Found struct {
	Name string // the folder's name
	Root string // the repository it lies in
	Dir  string // the folder's absolute path
	// ConfigPath is the absolute path of the config in force, after --model-config-name; "" when there
	// is none.
	ConfigPath string
	ConfigText []byte
	// Trouble says why the folder or its config could not be read; such a model cannot be loaded.
	Trouble error
	// Versions are ascending by number. Names that Triton passes over are left out
	// (docs/triton/repository.md, "Version folders").
	Versions []FoundVersion
	// ConfigPrint changes with the config file alone. FilesPrint changes with what else lies directly in the
	// folder and makes Triton reload every version: label files, warmup/, and so on.
	ConfigPrint string
	FilesPrint  string
}

// FoundVersion is one version's folder.
type FoundVersion struct {
	Number int64
	Dir    string
	Print  string // changes when anything in the folder does
}

// Find gives every folder of that name: more than one when repositories share a name.
func (l *Listing) Find(name string) []Found {
	first, _ := slices.BinarySearchFunc(l.Models, name, func(f Found, name string) int {
		return strings.Compare(f.Name, name)
	})
	last := first
	for last < len(l.Models) && l.Models[last].Name == name {
		last++
	}
	return l.Models[first:last]
}
