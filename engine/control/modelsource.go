package control

import (
	"context"
	"slices"
	"strings"

	"conch/engine/backend"
)

// ModelSource is control's interface to a model repository. The engine does not know the layout on disk
// or the watcher. The main program adapts a repository to this interface.
//
// The adapter's duties:
//   - A Listing is immutable and complete: every folder that Triton treats as a model, of every
//     repository root (docs/triton/repository.md, "Layout"), hidden ones and duplicates included,
//     sorted by name and then by root.
//   - Two prints are equal exactly when Triton sees no change (docs/triton/repository.md,
//     "Changes").
//   - A file that is still being written is not listed as changed before it is whole.
//   - Files that lie elsewhere are looked at when Watch names them, and never more than these.
type ModelSource interface {
	// Current returns the newest known listing; it does not read the disk.
	Current() *Listing
	// Refresh reads the disk and returns a listing that is not older than the call. names limits it to these
	// models; no names mean all models.
	Refresh(ctx context.Context, names ...string) (*Listing, error)
	// Subscribe sends each new listing until cancel is called or the channel is closed. A slow reader
	// gets only the latest. It may send the current listing first. A source that does not watch
	// sends nothing.
	Subscribe() (listings <-chan *Listing, cancel func())
	// Watch names the files outside of the repositories that Listing.Outside is to have, in place of those before. It does not
	// wait. A source may leave out some when they are too many.
	Watch(paths []string)
}

// Listing is the content of all repositories at one moment.
type Listing struct {
	Seq    uint64 // grows with every change
	Models []Found
	Roots  []FoundRoot // every repository
	// Outside is how the files of Watch look, by path. It lacks those that were not looked at yet.
	Outside map[string]backend.FileLook
}

// FoundRoot is one repository.
type FoundRoot struct {
	Path string // as in Found.Root
	// Identity identifies the folder, so that another folder at the same path is noticed; "" when
	// it is unknown.
	Identity string
	// Trouble is why it cannot be read now. Then none of its models are listed.
	Trouble error
}

// Found is one model's folder.
type Found struct {
	Name string // the folder's name
	Root string // its repository
	Dir  string // the folder's absolute path
	// ConfigPath is the absolute path of the config in use, after --model-config-name; "" when there
	// is none.
	ConfigPath string
	ConfigText []byte
	// Trouble is why the folder or its config could not be read. Such a model cannot be loaded.
	Trouble error
	// Versions are ascending by number. Names that Triton ignores are left out
	// (docs/triton/repository.md, "Version folders").
	Versions []FoundVersion
	// ConfigPrint changes only with the config file. FilesPrint changes with the other files of the folder
	// that make Triton reload every version: label files, warmup/, and so on.
	ConfigPrint string
	FilesPrint  string
}

// FoundVersion is one version's folder.
type FoundVersion struct {
	Number int64
	Dir    string
	Print  string // changes when anything in the folder does
}

// Find returns all folders of that name: more than one when repositories share a name.
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
