package runtimes

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"conch/engine/filelock"
	"conch/engine/userdir"
)

// Store keeps builds in a folder.
type Store struct {
	// Dir is the folder. Only its user should be able to write there.
	Dir string
	// Probe is the command that asks a library what it is, by Answer. Its standard input is closed when this process ends, and it has to end then.
	Probe func(ctx context.Context, library string) *exec.Cmd
}

// Build is one that is installed.
type Build struct {
	ID      string `json:"id"`      // "cuda13-1.30.0"
	Name    string `json:"name"`    // "cuda13"
	Version string `json:"version"` // ONNX Runtime's
	Source  string `json:"source"`  // the file or folder that it came from
	// Unproven are the wheels of it, or the folder, that were compared with no published hash.
	Unproven []string  `json:"unproven,omitempty"`
	Bytes    int64     `json:"bytes"`
	Made     time.Time `json:"made"`
	Library  string    `json:"-"`
	// Damage is why nothing else is known of the build, whose files are here; nil for a whole one. It names the file.
	Damage error `json:"-"`
}

// Doubt says that nothing published vouches for the build; "" where something does.
func (b Build) Doubt() string {
	if len(b.Unproven) == 0 {
		return ""
	}
	return fmt.Sprintf("no published hash was compared with %s: Conch knows none of it. Use it only if you trust where it came from", strings.Join(b.Unproven, " and "))
}

const (
	wholeName  = "conch.json" // the file that a whole build has
	buildsName = "builds"
	chosenName = "chosen"
	usesName   = "uses" // the folder in a build with a file of each process that uses it
	newPrefix  = ".new-"
	oldPrefix  = ".old-"
)

// Bundled is the name of the library that comes with Conch. It chooses no installed build.
const Bundled = "bundled"

// ChooseAnother says what helps when the chosen build cannot be used.
const ChooseAnother = "Choose another one, such as the one that comes with Conch: in ONNX Runtime… in the menu of the engine, or with `conch runtime use " + Bundled + "`"

// ErrInUse is why a build is not removed.
var ErrInUse = errors.New("a running engine uses it: end that first")

// Default is the store of this user. $CONCH_DATA_DIR does not change where it is.
func Default() *Store {
	return &Store{Dir: filepath.Join(userdir.Installed(), "onnxruntime")}
}

// LibraryName is the name of ONNX Runtime's library on this system.
func LibraryName() string {
	switch runtime.GOOS {
	case "windows":
		return "onnxruntime.dll"
	case "darwin":
		return "libonnxruntime.dylib"
	}
	return "libonnxruntime.so.1"
}

// goodID is what an ID of a build looks like. It is the name of a folder.
var goodID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]{0,99}$`)

// goodName is what a name of a build looks like. With its version it is an ID.
var goodName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]{0,59}$`)

// checkName says why a build cannot have a name that somebody gives it. "" gives none.
func checkName(name string) error {
	switch {
	case name == Bundled:
		return fmt.Errorf("%q is the name of the ONNX Runtime that comes with Conch: give this one another name", Bundled)
	case name != "" && !goodName.MatchString(name):
		return fmt.Errorf("%q cannot be the name of a build: use up to 60 letters of English, digits and . _ + -, and begin with a letter or a digit", name)
	}
	return nil
}

func (s *Store) builds() string { return filepath.Join(s.Dir, buildsName) }

// Readable says why the installed builds cannot be listed; nil when they can, also when there are none.
func (s *Store) Readable() error {
	_, err := os.ReadDir(s.builds())
	if err == nil || errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return fmt.Errorf("the installed builds cannot be listed: %w. %s", err, notYours)
}

// List returns the builds by their IDs, also the damaged ones.
func (s *Store) List() []Build {
	entries, _ := os.ReadDir(s.builds())
	var list []Build
	for _, entry := range entries {
		if b, err := s.read(entry.Name()); err == nil {
			list = append(list, b)
		}
	}
	return list
}

// read reads what a build says of itself. A damaged one has the name that is in its ID.
func (s *Store) read(id string) (b Build, err error) {
	if !goodID.MatchString(id) {
		return b, os.ErrNotExist
	}
	dir := filepath.Join(s.builds(), id)
	file := filepath.Join(dir, wholeName)
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return b, err
	}
	if err == nil {
		if err = json.Unmarshal(text, &b); err != nil {
			err = fmt.Errorf("%s is damaged: %w", file, err)
		}
	}
	if err != nil {
		name, _, _ := strings.Cut(id, "-")
		b = Build{Name: name, Bytes: size(dir), Damage: err}
	}
	b.ID, b.Library = id, filepath.Join(dir, LibraryName())
	return b, nil
}

// usable is a build that is here and of which all is known.
func (s *Store) usable(id string) (Build, error) {
	b, err := s.read(id)
	return b, cmp.Or(err, b.Damage)
}

// Has reports whether the build with this ID is here and can be opened, so that Install downloads nothing.
func (s *Store) Has(ctx context.Context, id string) (bool, error) {
	_, _, works, err := s.works(ctx, id)
	return works, err
}

// Find returns the build with this ID, or the newest one with this name. It may be a damaged one.
func (s *Store) Find(name string) (Build, error) {
	if b, err := s.read(name); err == nil {
		return b, nil
	}
	if err := s.Readable(); err != nil {
		return Build{}, err
	}
	list := slices.DeleteFunc(s.List(), func(b Build) bool { return b.Name != name })
	if len(list) == 0 {
		return Build{}, fmt.Errorf("%s is not installed; `conch runtime list` shows what is", cmp.Or(name, `""`))
	}
	return slices.MaxFunc(list, func(a, b Build) int { return a.Made.Compare(b.Made) }), nil
}

// ChosenID is the ID of the build that the user has chosen, whether it can be used or not; "" for none.
func (s *Store) ChosenID() (string, error) {
	text, err := os.ReadFile(filepath.Join(s.Dir, chosenName))
	if os.IsNotExist(err) {
		return "", nil
	}
	if id := strings.TrimSpace(string(text)); err != nil || id == "" || goodID.MatchString(id) {
		return id, err
	}
	return "", fmt.Errorf("%s is damaged: it names no build", filepath.Join(s.Dir, chosenName))
}

// Chosen returns the build that the user has chosen. False when there is none; the error says why the chosen one cannot be used.
func (s *Store) Chosen() (Build, bool, error) {
	id, err := s.ChosenID()
	if err == nil && id == "" {
		return Build{}, false, nil
	}
	var b Build
	if err == nil {
		b, err = s.usable(id)
	}
	if err == nil {
		_, err = os.Stat(b.Library)
	}
	if err != nil {
		return Build{}, false, fmt.Errorf("the chosen ONNX Runtime%s cannot be used: %w. %s", strings.TrimSuffix(fmt.Sprintf(" %q", id), ` ""`), err, ChooseAnother)
	}
	return b, true, nil
}

// Use chooses a build by its ID or name; Bundled chooses none. A library that does not load is not chosen.
func (s *Store) Use(ctx context.Context, name string) (Build, Report, error) {
	if name == Bundled {
		return Build{}, Report{}, s.chooseNone()
	}
	b, err := s.Find(name)
	if err != nil {
		return b, Report{}, err
	}
	if b.Damage != nil {
		return b, Report{}, fmt.Errorf("%s cannot be used: %w. %s", b.ID, b.Damage, b.remedy())
	}
	report, err := s.Ask(ctx, b.Library)
	if ctx.Err() != nil {
		return b, report, context.Cause(ctx)
	}
	if errors.Is(err, ErrStopped) {
		return b, report, fmt.Errorf("%s is not chosen: %w", b.ID, err)
	}
	if err != nil {
		return b, report, fmt.Errorf("%s does not work: %w%s", b.ID, err, broken(err))
	}
	return b, report, s.choose(b.ID)
}

// remedy is what to do about a damaged build. One that may not be read is not this user's to remove.
func (b Build) remedy() string {
	if errors.Is(b.Damage, fs.ErrPermission) {
		return notYours
	}
	return fmt.Sprintf("Remove it with `conch runtime remove %s`, then install it again", b.ID)
}

// notYours is what to do about what another user has made.
const notYours = "See that it is a folder or file of yours, which you may read and write"

// choose notes the choice of a build. A process that removes the build meanwhile sees the choice and takes it back, or does not see it yet: then the
// build is gone by the second look here.
func (s *Store) choose(id string) error {
	if err := replace(filepath.Join(s.Dir, chosenName), id+"\n"); err != nil {
		return s.unkept(err)
	}
	if _, err := s.usable(id); err != nil {
		return errors.Join(fmt.Errorf("%s was removed while it was being chosen", id), s.chooseNone())
	}
	return nil
}

func (s *Store) chooseNone() error {
	if err := os.Remove(filepath.Join(s.Dir, chosenName)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return s.unkept(err)
	}
	return nil
}

// unkept says that a choice could not be written. The system's words name a file that is gone when they are read.
func (s *Store) unkept(err error) error {
	remedy := "See that you may write there"
	if full(err) {
		remedy = "Make room there and try again"
	}
	var reason syscall.Errno
	if errors.As(err, &reason) {
		err = reason
	}
	return fmt.Errorf("engines use the same ONNX Runtime as before, since the choice cannot be kept in %s: %w. %s", filepath.Join(s.Dir, chosenName), err, remedy)
}

// replace writes a file as a whole.
func replace(path, text string) error {
	f, err := os.CreateTemp(filepath.Dir(path), newPrefix)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// Hold notes that this process uses a library, until the returned use is closed or the process ends. It is nil for a library that
// is not in the store.
func (s *Store) Hold(library string) (*filelock.Use, error) {
	dir := filepath.Dir(library)
	if filepath.Dir(dir) != s.builds() {
		return nil, nil
	}
	use, err := filelock.NewUse(filepath.Join(dir, usesName))
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(dir, wholeName)); err != nil {
		_ = use.Close()
		return nil, fmt.Errorf("%s was removed: %w", filepath.Base(dir), err)
	}
	return use, nil
}

// Remove removes a build that no process uses. When it was the chosen one, none is.
func (s *Store) Remove(ctx context.Context, name string) (Build, error) {
	if name == Bundled {
		return Build{}, errors.New("it comes with Conch")
	}
	b, err := s.Find(name)
	if err != nil {
		return b, err
	}
	turn, err := s.turn(ctx, func() {})
	if err != nil {
		return b, err
	}
	defer turn.End()
	if b, err = s.Find(b.ID); err != nil { // another one has removed it meanwhile
		return b, err
	}
	dir, gone := filepath.Join(s.builds(), b.ID), filepath.Join(s.builds(), oldPrefix+b.ID)
	whole := filepath.Join(dir, wholeName)
	// Without this file nobody begins to use it. Who has begun before is seen by now, or sees that the file is gone.
	if err := os.Rename(whole, whole+".gone"); err != nil {
		return b, err
	}
	if filelock.InUse(filepath.Join(dir, usesName)) {
		return b, errors.Join(ErrInUse, os.Rename(whole+".gone", whole))
	}
	if chosen, err := s.ChosenID(); err == nil && chosen == b.ID {
		if err := s.chooseNone(); err != nil {
			return b, errors.Join(err, os.Rename(whole+".gone", whole))
		}
	}
	if err := errors.Join(os.RemoveAll(gone), os.Rename(dir, gone)); err != nil {
		return b, err
	}
	return b, os.RemoveAll(gone)
}

// turn waits for the turn of everybody who changes the store.
func (s *Store) turn(ctx context.Context, waits func()) (*filelock.Turn, error) {
	if err := os.MkdirAll(s.builds(), 0o700); err != nil {
		return nil, err
	}
	return filelock.Take(ctx, filepath.Join(s.Dir, "change.lock"), waits)
}
