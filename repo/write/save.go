package write

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"conch/repo/files"
	"conch/repo/layout"
)

// Save replaces a file's content if the file still is what base says, and
// returns its new Version. To create a file, base is the zero Version. When
// the file already holds the content, nothing is written. Somebody who was
// shown a ConflictError and decided saves with its Version.
func Save(path string, content []byte, base Version) (Version, error) {
	return saver{disk}.save(path, content, base)
}

// system is what a save asks of the operating system; tests let it fail.
type system struct {
	create func(name string) (*os.File, error)
	write  func(f *os.File, content []byte) error
	sync   func(f *os.File) error
	rename func(from, to string) error
}

var disk = system{
	create: func(name string) (*os.File, error) {
		return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	},
	write: func(f *os.File, content []byte) error {
		_, err := f.Write(content)
		return err
	},
	sync:   (*os.File).Sync,
	rename: os.Rename,
}

type saver struct{ system }

// locks holds one lock per file that is being saved, so that two saves of
// one file in this process cannot both find the base unchanged.
var locks = struct {
	sync.Mutex
	byFile map[string]*fileLock
}{byFile: map[string]*fileLock{}}

// fileLock is forgotten when its last user has let go of it.
type fileLock struct {
	sync.Mutex
	users int
}

// lockFile waits until nobody else saves a file; unlock ends the turn.
func lockFile(target string) (unlock func()) {
	locks.Lock()
	lock := locks.byFile[target]
	if lock == nil {
		lock = &fileLock{}
		locks.byFile[target] = lock
	}
	lock.users++
	locks.Unlock()
	lock.Lock()
	return func() {
		lock.Unlock()
		locks.Lock()
		defer locks.Unlock()
		if lock.users--; lock.users == 0 {
			delete(locks.byFile, target)
		}
	}
}

func (s saver) save(path string, content []byte, base Version) (Version, error) {
	target, err := follow(path)
	if err != nil {
		return Version{}, err
	}
	defer lockFile(target)()

	now, err := s.check(path, target, base)
	if err != nil {
		return Version{}, err
	}
	if now.Exists() && now.Same(VersionOf(content, now.ModTime)) {
		return now, nil
	}
	if err := s.replace(path, target, content, base); err != nil {
		return Version{}, err
	}
	info, err := os.Stat(target)
	if err != nil {
		return Version{}, explain("read", path, err)
	}
	return VersionOf(content, info.ModTime()), nil
}

// follow finds the file behind a symbolic link: a linked config is written
// where it lies, and the link stays.
func follow(path string) (string, error) {
	target, err := filepath.EvalSymlinks(path)
	if err == nil {
		return target, nil
	}
	if _, linkErr := os.Lstat(path); linkErr == nil {
		return "", &Error{Do: "save", Path: path, Why: "it is a symbolic link to something that does not exist; restore the target or delete the link", Err: err}
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", explain("save", path, err)
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return "", explain("save", path, err)
	}
	return filepath.Join(dir, filepath.Base(path)), nil
}

// check compares the file on disk with base, and asks whether it may be
// written. A rename would replace a read-only file without asking anybody;
// somebody who took the write permission away wanted to be asked.
func (s saver) check(path, target string, base Version) (Version, error) {
	content, now, err := Read(target)
	var read *Error
	if errors.As(err, &read) {
		return now, &Error{Do: "save", Path: path, Why: read.Why, Err: read.Err}
	}
	if !now.Same(base) {
		return now, &ConflictError{Path: path, Disk: content, Version: now}
	}
	if !now.Exists() {
		return now, nil
	}
	info, err := os.Stat(target)
	if err == nil && info.Mode().Perm()&0o222 == 0 {
		return now, &Error{Do: "save", Path: path, Why: "the file is read-only; make it writable (chmod u+w) and save again" + unchanged, Err: fs.ErrPermission}
	}
	return now, nil
}

// replace writes the content beside the target and puts it in its place.
func (s saver) replace(path, target string, content []byte, base Version) error {
	name := filepath.Join(filepath.Dir(target), tempName(filepath.Base(target)))
	temp, err := s.create(name)
	if err != nil {
		return explain("save", path, err)
	}
	done := false
	defer func() {
		if !done {
			temp.Close()
			os.Remove(name)
		}
	}()
	if err := s.fill(temp, target, content); err != nil {
		return explain("save", path, err)
	}
	// The disk may have taken its time: look again at the last moment.
	if _, err := s.check(path, target, base); err != nil {
		return err
	}
	if err := s.rename(name, target); err != nil {
		return explain("save", path, err)
	}
	done = true
	files.SyncFolder(filepath.Dir(target))
	return nil
}

// tempName keeps a long base name from growing over the system's limit.
func tempName(base string) string {
	const most = 100
	if len(base) > most {
		base = base[:most]
	}
	return strings.Replace(layout.TempPattern(base), "*", rand.Text(), 1)
}

// fill writes the content and brings it safely to the disk.
func (s saver) fill(temp *os.File, target string, content []byte) error {
	if err := s.write(temp, content); err != nil {
		return fmt.Errorf("writing: %w", err)
	}
	if info, err := os.Stat(target); err == nil {
		if err := likeness(temp, info); err != nil {
			return fmt.Errorf("keeping permissions: %w", err)
		}
	}
	if err := s.sync(temp); err != nil {
		return fmt.Errorf("flushing: %w", err)
	}
	return temp.Close()
}

// likeness returns the new file the owner and permissions of the old one. Only
// root may give files away, so a failing chown is no reason not to save.
func likeness(temp *os.File, old fs.FileInfo) error {
	keepOwner(temp, old)
	return temp.Chmod(old.Mode().Perm())
}
