// Package upload keeps the files that the window sends for new models, until each set of files becomes
// a model or is discarded. Until then they are in hidden folders outside the repository (write.Stage).
// What is kept is bounded: so many uploads at once, so many files and bytes in each, so many bytes in
// one piece.
package upload

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"conch/app/language"
	"conch/configedit/backends"
	"conch/repo/layout"
	"conch/repo/trash"
	"conch/repo/write"
)

// The bounds.
const (
	MaxPiece = 4 << 20
	MaxBytes = 64 << 30
	maxFiles = 64
	atOnce   = 4
)

// ErrGone means that an upload was discarded, has become a model, or never was.
var ErrGone = errors.New("these files are not here any more; choose them again")

// ErrUnfit is the reason of errors that say why files cannot be a model, for errors.Is.
var ErrUnfit = errors.New("these files cannot be a model")

type unfitError struct{ error }

func (unfitError) Is(target error) bool { return target == ErrUnfit }

func (e unfitError) Unwrap() error { return e.error }

// Uploads are those of one repository. The zero value has none. All methods may be called from any
// goroutine.
type Uploads struct {
	// Data is the folder of the workbench's own files. It is set before the first call.
	Data string

	stages sync.Mutex // guards root; one clears the folders of files that wait, or makes one, at a time
	root   string
	mu     sync.Mutex // guards the rest
	oldest []*Upload  // oldest first
}

// Begin begins an upload for a repository. folder is the name of a whole model folder that is sent; "" for
// the files of one version. Uploads of another repository are discarded. Where there
// are too many, the oldest is discarded: a page that was closed does not say so.
func (u *Uploads) Begin(root, folder string) (id string, err error) {
	stage, err := u.newStage(root)
	if err != nil {
		return "", err
	}
	one := &Upload{id: rand.Text(), root: root, folder: folder, stage: stage, sizes: map[string]int64{}}
	// A discard waits until a model of those files is whole: not while others wait for the list.
	for _, old := range u.add(one) {
		err = errors.Join(err, old.Discard())
	}
	return one.id, err
}

// newStage makes a folder for files. The first one for a repository clears what earlier runs have left there.
func (u *Uploads) newStage(root string) (*write.Stage, error) {
	u.stages.Lock()
	defer u.stages.Unlock()
	if u.root != root {
		u.root = root
		if err := Clear(u.Data, root); err != nil {
			return nil, err
		}
	}
	return Waiting(u.Data, root).NewStage(root)
}

// add lists an upload, and returns those that are no longer listed.
func (u *Uploads) add(one *Upload) (old []*Upload) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.oldest = append(u.oldest, one)
	var kept []*Upload
	for i, listed := range u.oldest {
		if listed.root == one.root && i >= len(u.oldest)-atOnce {
			kept = append(kept, listed)
		} else {
			old = append(old, listed)
		}
	}
	u.oldest = kept
	return old
}

// places lists where the files of a new model may wait. None is in the repository: another server
// that polls it would take the folder for a model.
func places(data, root string) []string {
	own := filepath.Join(data, "uploads")
	_ = os.MkdirAll(own, 0o700) // where this fails, the other place is taken
	return []string{own, filepath.Dir(root)}
}

// Waiting says where the files of new models and versions of a repository wait until they are whole. data is as
// in Uploads.
func Waiting(data, root string) write.Waiting {
	return write.Waiting{Places: places(data, root), Hold: hold}
}

// Trash is where deleted files of a repository go. No trash is made in the repository, where Triton takes each folder for a model.
// data is as in Uploads.
func Trash(data, root string) trash.Trash {
	return trash.Trash{Own: filepath.Join(data, "trash"), Outside: root, Hold: hold}
}

// Clear removes what a workbench that was killed left of new models and versions of a repository. data is as in
// Uploads.
func Clear(data, root string) error {
	err := write.ClearModels(root, claim) // copies that were not finished
	for _, place := range places(data, root) {
		err = errors.Join(err, write.ClearStages(place, claim))
	}
	return err
}

// Find returns an upload.
func (u *Uploads) Find(id string) (*Upload, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	i := slices.IndexFunc(u.oldest, func(one *Upload) bool { return one.id == id })
	if i < 0 {
		return nil, ErrGone
	}
	return u.oldest[i], nil
}

// Forget takes an upload from the list, without touching its files.
func (u *Uploads) Forget(id string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.oldest = slices.DeleteFunc(u.oldest, func(one *Upload) bool { return one.id == id })
}

// Close discards all uploads.
func (u *Uploads) Close() (err error) {
	u.mu.Lock()
	all := u.oldest
	u.oldest = nil
	u.mu.Unlock()
	for _, one := range all {
		err = errors.Join(err, one.Discard())
	}
	return err
}

// Upload is files for one model.
type Upload struct {
	id     string
	root   string     // of the repository
	folder string     // the name of the whole folder that is sent; "" for files of one version
	mu     sync.Mutex // guards the rest
	stage  *write.Stage
	sizes  map[string]int64 // by name
	bytes  int64
	ended  error // why there are no files any more; nil while there are
	// stop ends the copy into a model that is under way; nil while there is none. Until then the stage is the copy's.
	stop context.CancelFunc
}

// errBusy is what is said of files meanwhile.
var errBusy = unfitError{errors.New("these files are being added to a model; wait until they are there")}

// gone says why the files cannot be taken now; nil when they can. It needs mu.
func (u *Upload) gone() error {
	if u.ended == nil && u.stop != nil {
		return errBusy
	}
	return u.ended
}

// version is the version folder that the files of a new model go to.
const version = "1"

// Write takes the next piece of a file.
func (u *Upload) Write(file string, offset int64, piece []byte) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if err := u.gone(); err != nil {
		return err
	}
	if u.folder != "" && isNoise(file) {
		return nil // what other programs leave in folders is no part of a model
	}
	if err := u.admit(file, offset, piece); err != nil {
		return err
	}
	if err := u.stage.Append(u.place(file), offset, piece); err != nil {
		return err
	}
	u.sizes[file] = offset + int64(len(piece))
	u.bytes += int64(len(piece))
	return nil
}

// admit checks a piece against the bounds.
func (u *Upload) admit(file string, offset int64, piece []byte) error {
	_, known := u.sizes[file]
	why := ""
	switch {
	case u.folder == "" && !isName(file):
		why = "it is not the plain name of a file"
	case u.folder != "" && !isPath(file):
		why = fmt.Sprintf("it is not the path of a file in a folder, at most %d folders deep", maxDepth)
	case layout.NoiseFile(file):
		why = "files of this name are temporary files of other programs"
	case len(piece) > MaxPiece:
		why = fmt.Sprintf("a piece has %d bytes, and at most %d are taken", len(piece), MaxPiece)
	case !known && len(u.sizes) >= u.most():
		why = fmt.Sprintf("a new model is made of at most %d files here; copy a larger folder into the repository's folder", u.most())
	case u.bytes+int64(len(piece)) > MaxBytes:
		why = fmt.Sprintf("a new model may have %d GiB; copy a larger one into the repository's folder", MaxBytes>>30)
	case offset != u.sizes[file]:
		why = fmt.Sprintf("a piece begins at byte %d, and %d bytes were sent", offset, u.sizes[file])
	default:
		return nil
	}
	return &write.Error{Do: "take", Path: fmt.Sprintf("%.200q", file), Why: why, Err: fs.ErrInvalid}
}

// isName reports whether a file's name may be one in a version folder.
func isName(name string) bool {
	return write.CheckModelName(name) == nil && !strings.ContainsRune(name, ':')
}

// Draft says what the files would become. The error says why they cannot be a model.
func (u *Upload) Draft() (language.Beginning, string, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.draft()
}

func (u *Upload) draft() (begin language.Beginning, main string, err error) {
	if err := u.gone(); err != nil {
		return begin, "", err
	}
	if u.folder != "" {
		return u.draftFolder()
	}
	return u.draftOf(slices.Sorted(maps.Keys(u.sizes)))
}

// draftOf says what the files of one version would become.
func (u *Upload) draftOf(names []string) (begin language.Beginning, main string, err error) {
	main, err = mainOf(names)
	if err != nil {
		return begin, "", unfitError{err}
	}
	f, err := u.stage.Open(u.place(main))
	if err != nil {
		return begin, "", err
	}
	defer func() { _ = f.Close() }()
	begin, err = language.BeginFrom(main, f, u.sizes[main])
	if err != nil {
		return begin, "", unfitError{err}
	}
	if u.hasConfig() {
		config, err := u.config()
		if err != nil {
			return begin, "", err
		}
		begin = begin.With(config)
	}
	if _, format, _ := backends.OfFile(begin.File); format.Weights != "" {
		if weights := stemOf(main) + format.Weights; u.sizes[weights] == 0 {
			begin.Note = fmt.Sprintf("The weights of %s are missing: choose %s, which lies beside it, together with it. ", main, weights) + begin.Note
		}
	}
	return begin, main, nil
}

// Places lists where the files will be in the model's folder.
func (u *Upload) Places(main string, begin language.Beginning) []string {
	u.mu.Lock()
	defer u.mu.Unlock()
	if begin.Whole {
		return []string{path.Join(version, begin.File) + "/"}
	}
	var places []string
	for _, m := range u.arrivals(main, begin) {
		if m.from == u.place(main) {
			places = slices.Insert(places, 0, m.to)
		} else {
			places = append(places, m.to)
		}
	}
	return places
}

// nameOf is the name of a file in the version folder: the model file, and a second one with its weights, get those that the backend
// looks for.
func nameOf(file, main string, begin language.Beginning) string {
	if file == main {
		return begin.File
	}
	if _, format, _ := backends.OfFile(begin.File); format.Weights != "" && file == stemOf(main)+format.Weights {
		return stemOf(begin.File) + format.Weights
	}
	return file
}

func stemOf(file string) string { return strings.TrimSuffix(file, path.Ext(file)) }

// move is a file or a folder that gets another path.
type move struct{ from, to string }

// moves lists what has to move before the files are a model's folder.
func (u *Upload) moves(main string, begin language.Beginning) (list []move, err error) {
	if begin.Whole {
		tops := map[string]bool{}
		for file := range u.sizes {
			top, _, _ := strings.Cut(file, "/")
			tops[top] = true
		}
		for _, top := range slices.Sorted(maps.Keys(tops)) {
			list = append(list, move{top, path.Join(version, begin.File, top)})
		}
		return list, nil
	}
	taken := map[string]bool{}
	for _, m := range u.arrivals(main, begin) {
		if taken[m.to] {
			return nil, &write.Error{Do: "create", Path: m.to, Why: "another file has this name, which Triton gives to the model file", Err: fs.ErrInvalid}
		}
		taken[m.to] = true
		if m.from != m.to {
			list = append(list, m)
		}
	}
	return list, nil
}

// Become makes a model of the files and returns its folder. The model file gets the name under which
// Triton looks for it. After an error another name can be tried.
func (u *Upload) Become(name string, config []byte) (string, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	begin, main, err := u.draft()
	if err != nil {
		return "", err
	}
	list, err := u.moves(main, begin)
	if err != nil {
		return "", err
	}
	if u.folder != "" || u.hasConfig() {
		config = language.Named(config, name)
	}
	for i, m := range list {
		if err := u.stage.Move(m.from, m.to); err != nil {
			return "", errors.Join(err, u.moveBack(list[:i]))
		}
	}
	dir, err := u.stage.Become(name, config)
	if err != nil {
		return "", errors.Join(err, u.moveBack(list))
	}
	u.ended = &madeError{name}
	return dir, nil
}

// moveBack undoes moves.
func (u *Upload) moveBack(list []move) (err error) {
	for _, m := range slices.Backward(list) {
		err = errors.Join(err, u.stage.Move(m.to, m.from))
	}
	return err
}

// AddTo puts the files into a folder of a model that is there, and returns their names. The upload ends with that; after an
// error it can be tried again. Where it is discarded meanwhile, nothing of the files is added.
func (u *Upload) AddTo(ctx context.Context, model, dir string) ([]string, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	names, err := u.lend(stop)
	if err == nil {
		err = u.takeBack(u.stage.AddTo(ctx, model, dir, version, names))
	}
	slices.Sort(names)
	return names, err
}

// lend gives the stage away for a copy, and returns the files in the order in which they are to appear: what refers to others
// comes last.
func (u *Upload) lend(stop context.CancelFunc) ([]string, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if err := u.gone(); err != nil {
		return nil, err
	}
	if u.folder != "" || len(u.sizes) == 0 {
		return nil, unfitError{errors.New("no file was given: choose the files to add")}
	}
	u.stop = stop
	return slices.SortedFunc(maps.Keys(u.sizes), func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), strings.Compare(a, b))
	}), nil
}

// rank is the higher, the more a file refers to others beside it.
func rank(name string) int {
	if _, _, known := backends.OfFile(name); known || name == layout.ConfigFile {
		return 2
	}
	if _, _, known := backends.OfEnding(name); known {
		return 1
	}
	return 0
}

// takeBack ends what lend began. err says how it went.
func (u *Upload) takeBack(err error) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.stop = nil
	switch {
	case err == nil:
		u.ended = ErrGone
	case u.ended != nil: // discarded meanwhile
		return errors.Join(u.ended, u.stage.Discard())
	}
	return err
}

// madeError means that an upload has become a model already.
type madeError struct{ model string }

func (e *madeError) Error() string {
	return fmt.Sprintf("these files have become the model %q already; choose them again to make another model", e.model)
}

func (*madeError) Is(target error) bool { return target == ErrGone }

// Discard removes the files, unless they have become a model.
func (u *Upload) Discard() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.ended != nil {
		return nil
	}
	u.ended = ErrGone
	if u.stop != nil {
		u.stop()
		return nil // takeBack removes them
	}
	return u.stage.Discard()
}
