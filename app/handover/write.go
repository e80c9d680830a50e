package handover

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"conch/app/handover/merge"
	"conch/repo/layout"
)

// recordName is the file beside an export that keeps what was written, so that the next export knows what people
// changed. Its name has no ending, so that `kubectl apply -f FOLDER` leaves it alone.
const recordName = ".conch-export"

// record is what the last export wrote, by file.
type record struct {
	Target Target            `json:"target"`
	Files  map[string]string `json:"files"`
}

// largestFile bounds what is read from the folder. What Conch writes has some thousand bytes.
const largestFile = 1 << 20

// Written says what became of each file of an export, by name.
type Written struct {
	Made, Changed, Same, Removed []string
	// Kept are files that a person changed or removed and that stay as they are.
	Kept []string
	// Edited are files that hold edits made by hand, and what the export changed.
	Edited    []string
	Conflicts []Conflict
}

// Conflict is a place in a file that a person and the export both changed. The person's text is kept.
type Conflict struct {
	File string
	merge.Conflict
}

// folder is the place that an export is written to. All access stays inside it, also behind links.
type folder struct {
	root *os.Root
	dir  string
	last record
	next record
	done Written
}

// write puts the files of an export into a folder, and makes the folder where it is missing. Edits that a person made
// since the last export stay. It refuses to replace a file that no export wrote. first is done when nothing is in the way
// of the files, and before the first of them is written.
func write(dir string, opts Options, files []File, first func() error) (*Written, error) {
	target := opts.Target
	if err := besideRepositories(dir, opts.Roots); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make the folder of the export: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open the folder of the export: %w", err)
	}
	defer func() { _ = root.Close() }()
	f := &folder{root: root, dir: dir, next: record{Target: target, Files: map[string]string{}}}
	if err := f.readRecord(); err != nil {
		return nil, err
	}
	if f.last.Target != "" && f.last.Target != target {
		return nil, fmt.Errorf("%s holds an export for %s: choose another folder for %s", dir, f.last.Target, target)
	}
	plans, err := f.plan(files)
	if err == nil {
		err = first()
	}
	if err != nil {
		return nil, err
	}
	return &f.done, f.carryOut(plans)
}

// besideRepositories refuses a folder in a repository: Triton would take it for a model.
func besideRepositories(dir string, roots []string) error {
	at := resolved(dir)
	for _, root := range roots {
		if layout.Below(resolved(root), at) {
			return fmt.Errorf("%s lies in the repository %s, where Triton takes each folder for a model; choose a folder beside it", dir, root)
		}
	}
	return nil
}

// resolved is the absolute path of a folder without links, as far as it exists.
func resolved(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return dir
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		return real
	}
	if parent := filepath.Dir(abs); parent != abs {
		return filepath.Join(resolved(parent), filepath.Base(abs))
	}
	return abs
}

func (f *folder) readRecord() error {
	text, exists, err := f.read(recordName)
	if err != nil || !exists {
		return err
	}
	if err := json.Unmarshal([]byte(text), &f.last); err != nil {
		return fmt.Errorf("%s is damaged (%w): without it Conch cannot tell your edits from its own text; remove it together with the files, or choose another folder", path.Join(f.dir, recordName), err)
	}
	return nil
}

// read returns the text of a file, and whether there is one.
func (f *folder) read(name string) (text string, exists bool, err error) {
	info, err := f.root.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	switch {
	case err != nil:
		return "", false, fmt.Errorf("look at %s: %w", path.Join(f.dir, name), err)
	case !info.Mode().IsRegular():
		return "", false, fmt.Errorf("%s is not a file; remove it, or choose another folder", path.Join(f.dir, name))
	case info.Size() > largestFile:
		return "", false, fmt.Errorf("%s has %d bytes, more than any file of an export; choose another folder", path.Join(f.dir, name), info.Size())
	}
	content, err := f.root.ReadFile(name)
	if err != nil {
		return "", false, fmt.Errorf("read %s: %w", path.Join(f.dir, name), err)
	}
	return string(content), true, nil
}

// step is one change of the folder.
type step struct {
	file   File
	remove bool
}

// plan decides about every file before the first is written, so that a refusal leaves the folder as it was.
func (f *folder) plan(files []File) ([]step, error) {
	var steps []step
	for _, file := range files {
		f.next.Files[file.Name] = file.Text
		text, exists, err := f.read(file.Name)
		if err != nil {
			return nil, err
		}
		base, known := f.last.Files[file.Name]
		switch {
		case !exists && known:
			f.done.Kept = append(f.done.Kept, file.Name) // a person removed it
		case !exists:
			f.done.Made = append(f.done.Made, file.Name)
			steps = append(steps, step{file: file})
		case text == file.Text:
			f.done.Same = append(f.done.Same, file.Name)
		case !known:
			return nil, fmt.Errorf("%s is there already, and no export wrote it; move it away, or choose another folder", path.Join(f.dir, file.Name))
		default:
			if line := conflictMark(text); line > 0 {
				return nil, fmt.Errorf("%s, line %d: git has left the marks of a conflict there; solve it first, and export again", path.Join(f.dir, file.Name), line)
			}
			steps = append(steps, f.join(file, base, text)...)
		}
	}
	return f.leftOver(steps)
}

// join decides about a file that the last export wrote.
func (f *folder) join(file File, base, text string) []step {
	if base == text { // nobody touched it
		f.done.Changed = append(f.done.Changed, file.Name)
		return []step{{file: file}}
	}
	if windowsLines(text) { // an editor or git on Windows writes them so, and they stay so
		base, file.Text = toWindows(base), toWindows(file.Text)
	}
	merged, conflicts := merge.Texts(base, text, file.Text)
	if wrong := wellFormed(file.Name, merged); wrong != nil && wellFormed(file.Name, text) == nil {
		merged, conflicts = text, []merge.Conflict{{Line: 1, Kept: text, Offered: file.Text}}
	}
	for _, c := range conflicts {
		f.done.Conflicts = append(f.done.Conflicts, Conflict{file.Name, c})
	}
	if merged == text {
		f.done.Kept = append(f.done.Kept, file.Name)
		return nil
	}
	f.done.Edited = append(f.done.Edited, file.Name)
	file.Text = merged
	return []step{{file: file}}
}

// windowsLines reports whether every line of a text ends as on Windows.
func windowsLines(text string) bool {
	ends := strings.Count(text, "\r\n")
	return ends > 0 && ends == strings.Count(text, "\n")
}

func toWindows(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }

// conflictMark returns the line on which git has left the mark of a conflict, from 1; 0 when there is none.
func conflictMark(text string) int {
	number := 0
	for line := range strings.Lines(text) {
		number++
		if strings.HasPrefix(line, "<<<<<<< ") || strings.HasPrefix(line, ">>>>>>> ") {
			return number
		}
	}
	return 0
}

// leftOver decides about files of the last export that this one no longer has.
func (f *folder) leftOver(steps []step) ([]step, error) {
	for _, name := range slices.Sorted(maps.Keys(f.last.Files)) {
		if _, again := f.next.Files[name]; again || !fs.ValidPath(name) {
			continue
		}
		text, exists, err := f.read(name)
		switch {
		case err != nil:
			return nil, err
		case !exists:
		case text == f.last.Files[name]:
			f.done.Removed = append(f.done.Removed, name)
			steps = append(steps, step{file: File{Name: name}, remove: true})
		default:
			f.done.Kept = append(f.done.Kept, name)
		}
	}
	return steps, nil
}

func (f *folder) carryOut(steps []step) error {
	for _, s := range steps {
		if err := f.one(s); err != nil {
			return fmt.Errorf("write %s: %w", path.Join(f.dir, s.file.Name), err)
		}
	}
	text, err := json.MarshalIndent(f.next, "", "  ")
	if err != nil {
		return err
	}
	if err := f.replace(File{Name: recordName, Text: string(text) + "\n"}); err != nil {
		return fmt.Errorf("write %s: %w", path.Join(f.dir, recordName), err)
	}
	return nil
}

func (f *folder) one(s step) error {
	if s.remove {
		return f.root.Remove(s.file.Name)
	}
	return f.replace(s.file)
}

// replace writes a file beside its place and moves it there, so that nobody sees half of it. The file beside it is a new one: what has its name is
// never opened, as it may be a link to another file, or a pipe that nobody reads.
func (f *folder) replace(file File) error {
	if dir := path.Dir(file.Name); dir != "." {
		if err := f.root.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	mode := fs.FileMode(0o644)
	if file.Program {
		mode = 0o755
	}
	beside := file.Name + ".conch-" + rand.Text()
	if err := f.writeNew(beside, file.Text, mode); err != nil {
		return err
	}
	if err := f.root.Rename(beside, file.Name); err != nil {
		return errors.Join(err, f.root.Remove(beside))
	}
	return nil
}

// writeNew writes a file that does not exist yet. After an error nothing is left of it.
func (f *folder) writeNew(name, text string, mode fs.FileMode) error {
	to, err := f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = to.WriteString(text)
	if err = errors.Join(err, to.Close()); err != nil {
		return errors.Join(err, f.root.Remove(name))
	}
	return nil
}
