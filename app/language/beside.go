package language

import (
	"bytes"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"conch/configedit/check"
	"conch/configedit/folder"
	"conch/configedit/modelfolder"
	"conch/repo/layout"
	"conch/repo/scan"
)

// beside is what a model's folder has beside the config. Names, sizes and kinds of files are those of
// the scan. Contents are read from the disk. While the folder is away, only what was read before
// counts.
type beside struct {
	scan *scan.Model
	away bool
	read *answers

	once  sync.Once
	shown *check.Folder
}

func newBeside(m *scan.Model) *beside { return &beside{scan: m, read: &answers{}} }

// whileAway returns the same folder as one that cannot be read.
func (b *beside) whileAway() *beside { return &beside{scan: b.scan, away: true, read: b.read} }

// folder returns the folder in the form that the checks take; nil for a model that has no folder yet.
func (b *beside) folder() *check.Folder {
	b.once.Do(func() { b.shown = b.show() })
	return b.shown
}

func (b *beside) show() *check.Folder {
	m := b.scan
	if m.Dir == "" {
		return nil
	}
	f := &check.Folder{Dir: m.Dir, Away: b.away, Has: b.has, Size: b.size, Special: b.special, Open: b.open, Leads: b.leadsOut, Within: b.within}
	for _, p := range m.Problems {
		if rel, err := filepath.Rel(m.Dir, p.Path); err == nil && p.Code == scan.Unreadable {
			f.Unread = append(f.Unread, strings.TrimPrefix(filepath.ToSlash(rel), "."))
		}
	}
	f.Unread = append(f.Unread, m.Unlisted...)
	for _, file := range m.Other {
		f.Files = append(f.Files, file.Path)
	}
	for _, v := range m.Versions {
		f.Versions = append(f.Versions, v.Number)
	}
	for _, odd := range m.OddVersionDirs {
		f.Odd = append(f.Odd, check.OddFolder{Name: odd.Name, Why: odd.Why})
	}
	return f
}

// within lists the files of a version folder, relative to that one.
func (b *beside) within(version int64) (files []string) {
	for _, v := range b.scan.Versions {
		if v.Number != version {
			continue
		}
		for _, file := range v.Files {
			files = append(files, file.Path)
		}
	}
	return files
}

func (b *beside) has(rel string) bool { return has(b.scan, rel) || has(b.scan, folder.Raw(rel)) }

// disk returns the folder as it is on disk now.
func (b *beside) disk() *check.Folder { return modelfolder.Folder(folder.Dir(b.scan.Dir), b.scan.Dir) }

// size returns the size of a regular file. The disk is asked about files that are not in the scan,
// such as those outside the model's folder.
func (b *beside) size(rel string) (int64, bool) {
	if file, ok := b.listed(rel); ok {
		return file.Size, file.Mode.IsRegular()
	}
	return ask(b, sizeOf(rel), func() (int64, bool) { return b.disk().Size(rel) })
}

func (b *beside) special(rel string) error {
	if file, ok := b.listed(rel); ok {
		return folder.Special(file.Mode)
	}
	if b.away {
		return nil
	}
	return b.disk().Special(rel)
}

// maxKept limits what is kept of one file: programs are smaller.
const maxKept = 256 << 10

// open opens a file. A small file is read once and kept.
func (b *beside) open(rel string) (io.ReadCloser, error) {
	if size, ok := b.size(rel); ok && size > maxKept && !b.away {
		return b.disk().Open(rel)
	}
	text, known := ask(b, contentOf(rel), func() ([]byte, bool) {
		text := b.disk().Read(rel, maxKept)
		return text, text != nil
	})
	if !known {
		return nil, fmt.Errorf("%s cannot be read", rel)
	}
	return io.NopCloser(bytes.NewReader(text)), nil
}

// leadsOut returns the file that a path leads to by links, where that is outside the model's folder
// and the repository; otherwise "". The engine opens files outside the model's folder only where they
// are in the repository.
func (b *beside) leadsOut(rel string) string {
	target, _ := ask(b, targetOf(rel), func() (string, bool) {
		real, err := filepath.EvalSymlinks(folder.Dir(b.scan.Dir).Path(rel))
		if err != nil {
			return "", false // the file is missing, which another check reports
		}
		for _, dir := range []string{b.scan.Dir, b.scan.Root} {
			if dir, err := filepath.EvalSymlinks(dir); err == nil && layout.Below(dir, real) {
				return "", true
			}
		}
		return real, true
	})
	return target
}

// listed returns a file that the scan found.
func (b *beside) listed(rel string) (scan.File, bool) {
	for _, rel := range []string{path.Clean(rel), folder.Raw(path.Clean(rel))} {
		if file, ok := fileAt(b.scan, rel); ok {
			return file, true
		}
	}
	return scan.File{}, false
}

// answers are what the disk answered about a folder. They are valid as long as scans find the same
// files.
type answers struct {
	mu    sync.Mutex
	known map[any]any // by sizeOf, contentOf or targetOf
}

// The questions to the disk.
type (
	sizeOf    string
	contentOf string
	targetOf  string
)

// ask returns the known answer, or the disk's where the folder can be read. keep reports whether the
// answer should be kept.
func ask[T any](b *beside, question any, disk func() (answer T, keep bool)) (answer T, known bool) {
	b.read.mu.Lock()
	before, known := b.read.known[question]
	b.read.mu.Unlock()
	if known {
		return before.(T), true
	}
	if b.away {
		return answer, false
	}
	answer, keep := disk()
	if keep {
		b.read.mu.Lock()
		defer b.read.mu.Unlock()
		if b.read.known == nil {
			b.read.known = map[any]any{}
		}
		b.read.known[question] = answer
	}
	return answer, keep
}

// has reports whether a scan found something at a path relative to the model's folder.
func has(m *scan.Model, rel string) bool {
	if v, rest, ok := versionAt(m, rel); ok {
		return rest != "" && v.Has(rest) || rest == "" && slices.Contains(m.Subdirs, rel)
	}
	_, ok := fileAt(m, rel)
	return ok || slices.Contains(m.Subdirs, rel)
}

// fileAt returns the file that a scan found at a path relative to the model's folder.
func fileAt(m *scan.Model, rel string) (scan.File, bool) {
	if v, rest, ok := versionAt(m, rel); ok {
		return v.File(rest)
	}
	if rel == ConfigName && m.ConfigPath != "" {
		return scan.File{Path: rel, Size: int64(len(m.ConfigText))}, true
	}
	return m.File(rel)
}

// versionAt returns the version that a path begins with, by the name of its folder or by its number,
// and the rest of the path.
func versionAt(m *scan.Model, rel string) (v scan.Version, rest string, ok bool) {
	first, rest, _ := strings.Cut(rel, "/")
	for _, v := range m.Versions {
		if filepath.Base(v.Dir) == first || strconv.FormatInt(v.Number, 10) == first {
			return v, rest, true
		}
	}
	return scan.Version{}, "", false
}
