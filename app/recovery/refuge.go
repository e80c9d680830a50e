package recovery

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"conch/app/overlay"
	"conch/app/userfile"
	"conch/engine/userdir"
)

// refuge is a folder of this user outside the data folder, for drafts that no place in the data folder
// takes. It is made when it is needed. Its owner and its rights are checked each time, since others
// may write in the folder above it.
type refuge struct {
	dir string
	// home is the data folder. It is in the file names, since several data folders share one refuge.
	home string
	now  func() time.Time
}

var _ place = (*refuge)(nil)

// usualRefuges lists the temporary folder, and the user's own folder of this session, which is removed
// at a log-out.
func usualRefuges() []string {
	var dirs []string
	name := fmt.Sprintf("conch-unsaved-%d", os.Geteuid())
	for _, dir := range []string{os.TempDir(), os.Getenv("XDG_RUNTIME_DIR")} {
		if dir = filepath.Join(dir, name); filepath.IsAbs(dir) && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

func (r *refuge) spot() overlay.Spot { return overlay.Spot{Path: r.dir, ShortLived: true} }

func (r *refuge) release(string) {}

func (r *refuge) name(root string) string { return nameFor(r.home + "\n" + root) }

// open opens the folder. From then on nobody can replace it with another one. It fails with errNotOurs
// where no folder belongs to this user alone. The kind of file is checked before it is opened: opening
// another user's pipe would block.
func (r *refuge) open() (*os.Root, error) {
	named, err := os.Lstat(r.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.ENOTDIR):
		return nil, fmt.Errorf("%w: %w", errNotOurs, err)
	case err != nil:
		return nil, err
	case !r.isOwn(named):
		return nil, r.foreign()
	}
	dir, err := os.OpenRoot(r.dir)
	if err != nil {
		return nil, err
	}
	opened, err := dir.Stat(".")
	if err == nil && !(os.SameFile(named, opened) && r.isOwn(opened)) {
		err = r.foreign()
	}
	if err != nil {
		_ = dir.Close()
		return nil, err
	}
	return dir, nil
}

func (r *refuge) isOwn(info fs.FileInfo) bool {
	return info.IsDir() && userdir.IsOurs(info) && info.Mode().Perm() == userfile.DirMode
}

// errNotOurs means that this user cannot have written anything there.
var errNotOurs = errors.New("the folder is not there, or is not this user's alone")

func (r *refuge) foreign() error { return fmt.Errorf("%s: %w", r.dir, errNotOurs) }

func (r *refuge) write(content record) error {
	if err := os.Mkdir(r.dir, userfile.DirMode); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("write unsaved texts elsewhere: %w", err)
	}
	dir, err := r.open()
	if err != nil {
		return fmt.Errorf("write unsaved texts elsewhere: %w", err)
	}
	defer func() { _ = dir.Close() }()
	text, err := encode(content)
	if err == nil {
		err = writeWholeIn(dir, r.name(content.Root), text)
	}
	if err != nil {
		return fmt.Errorf("write unsaved texts in %s: %w", r.dir, err)
	}
	return nil
}

// newSuffix makes the name of a file that is being written.
const newSuffix = ".new"

// writeWholeIn is writeWhole in an open folder.
func writeWholeIn(dir *os.Root, name string, text []byte) error {
	next := name + newSuffix
	f, err := dir.OpenFile(next, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, userfile.FileMode)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = dir.Rename(next, name)
	}
	if err != nil {
		_ = dir.Remove(next)
	}
	return err
}

// has returns false where the folder cannot be read: a text that cannot be found again is not kept.
func (r *refuge) has(root string) bool {
	dir, err := r.open()
	if err != nil {
		return false
	}
	defer func() { _ = dir.Close() }()
	_, err = dir.Lstat(r.name(root))
	return err == nil
}

// read finds nothing in a folder that does not belong to this user alone: this user has written
// nothing there.
func (r *refuge) read(root string) (record, bool, error) {
	dir, err := r.open()
	if errors.Is(err, errNotOurs) {
		return record{}, false, nil
	}
	if err != nil {
		return record{}, false, fmt.Errorf("the unsaved texts in %s cannot be read: %w", r.dir, err)
	}
	defer func() { _ = dir.Close() }()
	text, err := dir.ReadFile(r.name(root))
	if errors.Is(err, fs.ErrNotExist) {
		return record{}, false, nil
	}
	if err != nil {
		return record{}, false, fmt.Errorf("the unsaved texts in %s cannot be read: %w", filepath.Join(r.dir, r.name(root)), err)
	}
	content, err := decode(text)
	if err != nil {
		aside := userfile.DamagedName(r.name(root), r.now())
		err = errors.Join(err, dir.Rename(r.name(root), aside))
		return record{}, false, fmt.Errorf("%w: %s was moved to %s: %w", errDamagedFile, filepath.Join(r.dir, r.name(root)), aside, err)
	}
	return content, true, nil
}

// clear also removes the folder where it is empty then. If the folder was removed, as at a log-out,
// there is nothing to do.
func (r *refuge) clear(root string) error {
	dir, err := r.open()
	if errors.Is(err, errNotOurs) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("remove unsaved texts that are in the history now: %w", err)
	}
	defer func() { _ = dir.Close() }()
	if err := dir.Remove(r.name(root)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove unsaved texts that are in the history now: %w", err)
	}
	_ = dir.Remove(r.name(root) + newSuffix) // left by a program that was killed during a write
	_ = os.Remove(r.dir)                     // fails while the folder has other files
	return nil
}
