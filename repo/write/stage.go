package write

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"conch/repo/files"
	"conch/repo/layout"
)

// Stage is a model folder that is not finished: files are written to it piece by piece, and it
// appears in the repository whole, under the model's name. Until then it is a hidden folder
// elsewhere, because another server that polls the repository takes each folder in it for a model
// (docs/triton/repository.md, "Layout"). A Stage is for one goroutine at a time.
type Stage struct {
	root string
	dir  string
	// files confines what is written: no path and no link leads out of it.
	files *os.Root
	hold  Hold
	held  []io.Closer
}

// Hold marks a hidden folder as used, until the result is closed.
type Hold func(dir string) (io.Closer, error)

// Waiting says where files wait that are not whole: in the first of Places that serves, in a folder that
// Hold marks. Without any they wait in the repository.
type Waiting struct {
	Places []string
	Hold   Hold
}

// stageName begins the names of hidden folders that wait for their files.
const stageName = "upload"

// NewStage makes the hidden folder for a model of a repository. It is in the first place that is
// on the repository's disk, so that a rename is enough at the end; else in the first that can be
// written.
func (w Waiting) NewStage(root string) (*Stage, error) {
	var failed error
	for _, place := range near(root, w.Places) {
		stage, err := stageAt(root, place, w.Hold)
		if err == nil {
			return stage, nil
		}
		failed = cmp.Or(failed, err)
	}
	return nil, failed
}

// near returns the places, first those on the disk of a repository.
func near(root string, places []string) []string {
	list := slices.Clone(places)
	slices.SortStableFunc(list, func(a, b string) int {
		switch nearA, nearB := files.SameDisk(root, a), files.SameDisk(root, b); {
		case nearA == nearB:
			return 0
		case nearA:
			return -1
		}
		return 1
	})
	return list
}

// stageFor makes the hidden folder for files that are there already, and are copied once: from a place
// on another disk they would be copied a second time, and so for a group that a folder gives. Then it is
// in the folder that gets them.
func (w Waiting) stageFor(root string) (*Stage, error) {
	for _, place := range w.Places {
		if givesGroup(root) || !files.SameDisk(root, place) {
			continue
		}
		if stage, err := stageAt(root, place, w.Hold); err == nil {
			return stage, nil
		}
	}
	return stageAt(root, root, w.Hold)
}

func stageAt(root, place string, hold Hold) (*Stage, error) {
	// Not os.MkdirTemp: it makes folders that only their owner may read.
	dir := filepath.Join(place, tempName(stageName))
	if err := os.Mkdir(dir, 0o777); err != nil {
		return nil, explain("create", dir, err)
	}
	s := &Stage{root: root, dir: dir, hold: hold}
	err := s.claim(dir)
	if err == nil {
		s.files, err = os.OpenRoot(dir)
	}
	if err != nil {
		s.release()
		return nil, errors.Join(explain("create", dir, err), os.RemoveAll(dir))
	}
	return s, nil
}

func (s *Stage) claim(dir string) error {
	if s.hold == nil {
		return nil
	}
	held, err := s.hold(dir)
	if err == nil {
		s.held = append(s.held, held)
	}
	return err
}

func (s *Stage) release() {
	for _, held := range s.held {
		_ = held.Close()
	}
	s.held = nil
}

// Dir returns the hidden folder.
func (s *Stage) Dir() string { return s.dir }

// stageNames begin the names of all stages: earlier versions of Conch made new models and versions
// under names of their own.
var stageNames = []string{stageName, "model", "version"}

// isStage reports whether something is a stage. A file of such a name is one that is being saved.
func isStage(entry fs.DirEntry) bool {
	return entry.IsDir() && slices.ContainsFunc(stageNames, func(name string) bool {
		is, _ := filepath.Match(layout.TempPattern(name), entry.Name())
		return is
	})
}

// ClearStages removes the stages in a folder that a workbench left behind when it was killed. It holds each meanwhile, and leaves
// those that it cannot hold: another workbench still fills them.
func ClearStages(place string, hold Hold) error {
	entries, _ := os.ReadDir(place) // where it cannot be read, nobody made a stage
	var err error
	for _, entry := range entries {
		if !isStage(entry) {
			continue
		}
		dir := filepath.Join(place, entry.Name())
		if held, used := hold(dir); used == nil {
			err = errors.Join(err, os.RemoveAll(dir), held.Close())
		}
	}
	return err
}

// ClearModels removes such stages in a repository and in the folders of its models, where what comes from another disk
// waits.
func ClearModels(root string, hold Hold) error {
	err := ClearStages(root, hold)
	entries, _ := os.ReadDir(root)
	for _, entry := range entries {
		below := clearing{hold: hold, seen: map[layout.Identity]bool{}}
		err = errors.Join(err, below.clear(filepath.Join(root, entry.Name()), 0))
	}
	return err
}

// clearing is a walk through the folders of a model, also behind links, each once.
type clearing struct {
	hold Hold
	seen map[layout.Identity]bool
}

func (c *clearing) clear(dir string, depth int) error {
	info, cannot := os.Stat(dir)
	if cannot != nil || !info.IsDir() || layout.NoiseDir(filepath.Base(dir)) || depth > layout.MaxDepth || len(c.seen) == layout.MaxEntries {
		return nil
	}
	is := layout.IdentityOf(dir, info)
	if c.seen[is] {
		return nil
	}
	c.seen[is] = true
	err := ClearStages(dir, c.hold)
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		if !entry.Type().IsRegular() {
			err = errors.Join(err, c.clear(filepath.Join(dir, entry.Name()), depth+1))
		}
	}
	return err
}

// Append writes a piece of a file, whose path is relative to the model's folder. Pieces come in
// order: offset is how much of the file there is already.
func (s *Stage) Append(file string, offset int64, piece []byte) error {
	name := filepath.FromSlash(file)
	if !filepath.IsLocal(name) {
		return &Error{Do: "write", Path: strconv.Quote(file), Why: "the path leads out of the model's folder", Err: fs.ErrInvalid}
	}
	if err := s.append(name, offset, piece); err != nil {
		return explain("write", file, err)
	}
	return nil
}

func (s *Stage) append(name string, offset int64, piece []byte) (err error) {
	if err := s.files.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	f, err := s.files.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	switch info, statErr := f.Stat(); {
	case statErr != nil:
		return statErr
	case info.Size() != offset:
		return fmt.Errorf("a piece begins at byte %d, and the file has %d: %w", offset, info.Size(), fs.ErrInvalid)
	}
	if _, err = f.WriteAt(piece, offset); err != nil {
		// On a full disk a part of the piece was written: without it the same piece can be sent again.
		return errors.Join(err, f.Truncate(offset))
	}
	return nil
}

// Open opens a file that is whole, to read what it says.
func (s *Stage) Open(file string) (*os.File, error) {
	f, err := s.files.Open(filepath.FromSlash(file))
	if err != nil {
		return nil, explain("read", file, err)
	}
	return f, nil
}

// FS returns the files.
func (s *Stage) FS() fs.FS { return s.files.FS() }

// Move gives a file or a folder another path.
func (s *Stage) Move(from, to string) error {
	if from == to {
		return nil
	}
	if err := s.files.MkdirAll(filepath.Dir(filepath.FromSlash(to)), 0o777); err != nil {
		return explain("create", to, err)
	}
	if err := s.files.Rename(filepath.FromSlash(from), filepath.FromSlash(to)); err != nil {
		return explain("create", to, err)
	}
	return nil
}

// Become makes the stage a model, and returns the folder. It has a version 1 in any case, and a
// config where one is given. Nothing that exists is replaced; after an error the stage is as it was,
// so that another name can be tried.
func (s *Stage) Become(name string, config []byte) (string, error) {
	dir := filepath.Join(s.root, name)
	if why := badModelName(name); why != "" {
		return "", &Error{Do: "create", Path: strconv.Quote(name), Why: why, Err: fs.ErrInvalid}
	}
	if _, err := os.Lstat(dir); err == nil {
		return "", explain("create", dir, fs.ErrExist)
	}
	if err := s.complete(config); err != nil {
		return "", explain("create", dir, err)
	}
	if err := s.arrive(dir); err != nil {
		return "", explain("create", dir, err)
	}
	_ = s.files.Close()
	s.release()
	files.SyncFolder(s.root)
	return dir, nil
}

// arrive brings the files to their place: by a rename where that is possible and gives them the
// group that the repository gives its files, else by a copy.
func (s *Stage) arrive(dir string) error {
	if filepath.Dir(s.dir) == s.root || !givesGroup(s.root) {
		if err := os.Rename(s.dir, dir); err == nil || filepath.Dir(s.dir) == s.root {
			return err
		}
	}
	if err := s.copyTo(dir); err != nil {
		return err
	}
	// The model is there. What cannot be removed here is cleared with the next upload.
	_ = os.RemoveAll(s.dir)
	return nil
}

// givesGroup reports whether what is made in a folder belongs to the group of the folder.
func givesGroup(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.Mode()&fs.ModeSetgid != 0
}

// copyTo copies the files into a hidden folder of the repository, which then gets its name.
func (s *Stage) copyTo(dir string) error {
	near, err := stageAt(s.root, s.root, s.hold)
	if err != nil {
		return err
	}
	defer near.release()
	defer func() { _ = near.files.Close() }()
	err = os.CopyFS(near.dir, s.files.FS())
	if err == nil {
		err = near.sync()
	}
	if err == nil {
		err = os.Rename(near.dir, dir)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(near.dir))
	}
	return nil
}

// complete adds what every new model has, and brings all files safely to the disk.
func (s *Stage) complete(config []byte) error {
	if err := s.files.MkdirAll("1", 0o777); err != nil {
		return err
	}
	if config != nil {
		path := filepath.Join(s.dir, layout.ConfigFile)
		_, uploaded, err := Read(path)
		if err != nil {
			return err
		}
		if _, err := Save(path, config, uploaded); err != nil {
			return err
		}
	}
	return s.sync()
}

// sync brings all files safely to the disk.
func (s *Stage) sync() error {
	return fs.WalkDir(s.files.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		f, err := s.files.OpenFile(filepath.FromSlash(name), os.O_RDWR, 0)
		if err != nil {
			return err
		}
		return errors.Join(f.Sync(), f.Close())
	})
}

// Discard removes the stage with its files.
func (s *Stage) Discard() error {
	_ = s.files.Close()
	s.release()
	return os.RemoveAll(s.dir)
}
