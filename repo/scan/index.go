package scan

import (
	"bytes"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"conch/configedit/folder"
	"conch/configedit/rule"
	"conch/repo/layout"
)

// Index is what one or several repositories hold at one moment.
type Index struct {
	// Seq numbers the states of the repositories, from 1.
	Seq uint64
	// Roots are the repositories, in the order in which they were given.
	Roots []Root
	// Models are sorted by name, then by the order of their roots.
	Models []*Model
	// Strays are entries of a root that are no model, sorted by path.
	Strays []Stray
	// Outside is what was seen of files that lie elsewhere, by path; the scan
	// does not look at them.
	Outside map[string]Glance
	// Problems concern a root as a whole; a model's own are in the Model.
	Problems []Problem

	states []rootState
}

// Glance is what is seen of a file without reading it. The zero value is that
// of a file that is not there.
type Glance struct {
	Size    int64
	ModTime int64 // nanoseconds
}

// Root is one model repository.
type Root struct {
	// Path is absolute. Links in it are kept as the user wrote them.
	Path string
	// ReadOnly says that no entry can be created in it.
	ReadOnly bool
	// Identity tells the folder from another one that comes into its place;
	// "" where the system does not tell.
	Identity string
}

// Stray is an entry of a root that is not shown as a model.
type Stray struct {
	Root string
	Name string
	Path string
	Kind StrayKind
	// Why says to a person why this is no model.
	Why string
}

// StrayKind tells strays apart.
type StrayKind string

// The kinds of stray. Triton skips plain files, but takes every folder
// for a model, so that each folder here makes it fail to start.
const (
	StrayFile    StrayKind = "file"
	StrayEmpty   StrayKind = "empty folder"
	StrayFolder  StrayKind = "folder"
	StrayTooling StrayKind = "tooling"
	StrayBroken  StrayKind = "unreadable"
)

// TakenForModel reports whether Triton would list the entry as a model and fail
// on it.
func (s Stray) TakenForModel() bool { return s.Kind != StrayFile && s.Kind != StrayBroken }

// File is a file in a model.
type File struct {
	// Path is slash-separated and relative to the folder that lists it: the
	// version folder, or for other files the model folder.
	Path    string
	Size    int64
	ModTime time.Time
	// Mode is that of what a link leads to.
	Mode fs.FileMode
	// Link says that it is a symbolic link.
	Link bool
}

func fileOf(path string, it item) File {
	return File{Path: path, Size: it.info.Size(), ModTime: it.info.ModTime(), Mode: it.info.Mode(), Link: it.link}
}

// Version is a version folder that Triton would consider.
type Version struct {
	Number int64
	// Dir is absolute.
	Dir string
	// Files are all files in it, at any depth, sorted by path.
	Files []File
	// Folders are all folders in it, at any depth, sorted.
	Folders []string
	// Fingerprint changes when anything in the folder does.
	Fingerprint string

	repeats repeats
}

// Has reports whether a file or folder of that relative path exists.
func (v Version) Has(rel string) bool {
	rel = v.repeats.resolve(rel)
	_, ok := find(v.Files, rel)
	return ok || slices.Contains(v.Folders, rel)
}

// File finds a file by its relative path.
func (v Version) File(rel string) (File, bool) { return find(v.Files, v.repeats.resolve(rel)) }

// OddDir is a folder inside a model that is not a version, though it may be
// meant to be one.
type OddDir struct {
	Name string
	Dir  string
	Why  string
}

// Variant is a config in the model's configs folder.
type Variant struct {
	// Name is what --model-config-name would be set to.
	Name string
	// Path is absolute.
	Path string
	Text []byte
	Err  error
}

// File is the path of the variant in its model, as text.
func (v Variant) File() string { return folder.Variants + "/" + folder.Name(filepath.Base(v.Path)) }

// Entry is a direct entry of a model folder, with everything in it.
type Entry struct {
	Name   string
	Folder bool
	// Fingerprint changes when anything in it does.
	Fingerprint string
}

// Model is a model folder.
type Model struct {
	// Name is the name of the folder as text (folder.Name). It names the model
	// in every interface, and all of those carry text. Paths and the names of
	// files are what the system has.
	Name string
	// Root is the path of the repository it lies in, as in Index.Roots.
	Root string
	// Dir is the absolute path of the model folder.
	Dir string
	// ConfigPath is the absolute path of config.pbtxt, or "".
	ConfigPath string
	ConfigText []byte
	// ConfigErr says why ConfigText could not be read, wholly or at all.
	ConfigErr error
	Variants  []Variant
	// Versions are sorted by number, smallest first.
	Versions       []Version
	OddVersionDirs []OddDir
	LabelFiles     []File
	// Other are all files outside the version folders, the config and its
	// variants; LabelFiles are among them.
	Other []File
	// Subdirs are the direct subfolders in byte order, hidden ones included:
	// when Triton guesses a backend, it looks at the first of these only.
	Subdirs []string
	// Entries are the direct entries without noise, sorted by name.
	Entries  []Entry
	Problems []Problem
	// Unlisted are folders, relative to the model's, in which not everything
	// was looked at: nothing can be said about what is not found there.
	Unlisted []string
	// Fingerprint changes when anything in the model does (see Compare).
	Fingerprint string
	// ConfigFingerprint changes when config.pbtxt does.
	ConfigFingerprint string

	repeats repeats
}

// Problem is something that could not be read, or that Triton stumbles over.
type Problem struct {
	Code ProblemCode
	// Path is absolute.
	Path string
	// What says to a person what is wrong and what to do.
	What string
}

// ProblemCode is the rule that a problem breaks.
type ProblemCode string

// The problems a scan can find.
var (
	// RootMissing: the repository itself cannot be read.
	RootMissing = ProblemCode(rule.RootMissing.ID)
	// Unreadable: a file or folder could not be looked at.
	Unreadable = ProblemCode(rule.Unreadable.ID)
	// DanglingLink: a symbolic link that leads nowhere.
	DanglingLink = ProblemCode(rule.DanglingLink.ID)
	// LinkLoop: a link to a folder that it lies in.
	LinkLoop = ProblemCode(rule.LinkLoop.ID)
	// TooMany: the model has more entries, or deeper ones, than are listed.
	TooMany = ProblemCode(rule.TooMany.ID)
	// ConfigTooLarge: config.pbtxt is larger than is read.
	ConfigTooLarge = ProblemCode(rule.ConfigTooLarge.ID)
	// ConfigShadow: an entry that stops Triton from seeing any change.
	ConfigShadow = ProblemCode(rule.ConfigShadow.ID)
)

// Harmless reports whether Triton serves a model that has such a problem. What is missing behind a link may be there
// where the model is served.
func (c ProblemCode) Harmless() bool {
	switch c {
	case DanglingLink, LinkLoop, TooMany, ConfigShadow:
		return true
	}
	return false
}

// Model finds the first model of that name; it may exist in several roots.
func (x *Index) Model(name string) *Model {
	if found := x.Named(name); len(found) > 0 {
		return found[0]
	}
	return nil
}

// Named lists the models of that name, one per root that has it. Without
// namespacing, Triton refuses to load a name that more than one root has.
func (x *Index) Named(name string) []*Model {
	first, _ := slices.BinarySearchFunc(x.Models, name, func(m *Model, name string) int {
		return strings.Compare(m.Name, name)
	})
	last := first
	for last < len(x.Models) && x.Models[last].Name == name {
		last++
	}
	return x.Models[first:last]
}

// Duplicate reports whether more than one root has a model of that name.
func (x *Index) Duplicate(name string) bool { return len(x.Named(name)) > 1 }

// Version finds a version by number.
func (m *Model) Version(number int64) (Version, bool) {
	for _, v := range m.Versions {
		if v.Number == number {
			return v, true
		}
	}
	return Version{}, false
}

// File finds a file outside the version folders by its path relative to the
// model folder, for instance a label file named by a config.
func (m *Model) File(rel string) (File, bool) { return find(m.Other, m.repeats.resolve(rel)) }

// IsNote reports whether a file, by its path relative to the model's folder, is for people and tools alone
// (layout.Note): no backend reads it, and no config of the model names it.
func (m *Model) IsNote(rel string) bool {
	if !layout.Note(rel) || bytes.Contains(m.ConfigText, []byte(rel)) {
		return false
	}
	return !slices.ContainsFunc(m.Variants, func(v Variant) bool { return bytes.Contains(v.Text, []byte(rel)) })
}

// Variant finds a config variant by name.
func (m *Model) Variant(name string) (Variant, bool) {
	for _, v := range m.Variants {
		if v.Name == name {
			return v, true
		}
	}
	return Variant{}, false
}

func find(files []File, rel string) (File, bool) {
	i, ok := slices.BinarySearchFunc(files, rel, func(f File, rel string) int {
		return strings.Compare(f.Path, rel)
	})
	if !ok {
		return File{}, false
	}
	return files[i], true
}
