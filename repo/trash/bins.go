package trash

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"conch/repo/files"
	"conch/repo/layout"
)

// bin is one trash.
type bin struct {
	dir string
	// top is the folder that paths in it are relative to; "" where they are absolute.
	top string
	// shared says that other users may have made folders on the way to it.
	shared bool
	// copies says that it is on another disk.
	copies bool
}

// bins lists the trashes that may take something, in the order in which they are tried.
func (t Trash) bins(path string) (list []bin) {
	parent := filepath.Dir(path)
	home := homeTrash()
	if home == "" {
		home = t.Own
	}
	if files.SameDisk(parent, existing(home)) {
		list = append(list, bin{dir: home})
	}
	top := topOf(parent)
	if hasTopTrash && top != "" && !(t.Outside != "" && layout.Below(t.Outside, top)) {
		uid := strconv.Itoa(os.Getuid())
		list = append(list,
			bin{dir: filepath.Join(top, ".Trash", uid), top: top, shared: true},
			bin{dir: filepath.Join(top, ".Trash-"+uid), top: top, shared: true})
	}
	list = append(list, bin{dir: home, copies: true})
	if home != t.Own && t.Own != "" { // a home in which nothing can be written
		list = append(list, bin{dir: t.Own, copies: !files.SameDisk(parent, existing(t.Own))})
	}
	return list
}

// homeTrash is that of the user; "" where the system has another kind, or the user has no home.
func homeTrash() string {
	if !hasTopTrash {
		return ""
	}
	data := os.Getenv("XDG_DATA_HOME")
	if !filepath.IsAbs(data) {
		home, err := os.UserHomeDir()
		if err != nil || !filepath.IsAbs(home) {
			return ""
		}
		data = filepath.Join(home, ".local", "share")
	}
	return filepath.Join(data, "Trash")
}

// hasTopTrash says that the system's trash is that of freedesktop.org.
const hasTopTrash = runtime.GOOS == "linux" || runtime.GOOS == "freebsd" || runtime.GOOS == "netbsd" || runtime.GOOS == "openbsd" || runtime.GOOS == "dragonfly"

// prepare makes the folders of a trash.
func (b bin) prepare() error {
	if b.shared {
		if err := b.ownAtTop(); err != nil {
			return err
		}
	} else if err := os.MkdirAll(b.dir, 0o700); err != nil {
		return err
	}
	for _, name := range []string{"files", "info"} {
		if err := os.Mkdir(filepath.Join(b.dir, name), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}

// ownAtTop makes the user's trash on a disk. A link there, or a folder that somebody else has made, is not used: what
// goes there would be his.
func (b bin) ownAtTop() error {
	if parent := filepath.Dir(b.dir); parent != b.top {
		info, err := os.Lstat(parent)
		if err == nil && (!info.IsDir() || info.Mode()&fs.ModeSticky == 0) {
			err = fmt.Errorf("%s is no folder that users share: %w", parent, fs.ErrPermission)
		}
		if err != nil {
			return err
		}
	}
	if err := os.Mkdir(b.dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(b.dir)
	if err == nil && (!info.IsDir() || !isOwn(info)) {
		err = fmt.Errorf("%s belongs to another user: %w", b.dir, fs.ErrPermission)
	}
	return err
}

// canBe reports whether a trash is there or can be made.
func (b bin) canBe() bool {
	there := existing(b.dir)
	if b.shared && there != b.dir && filepath.Dir(b.dir) != there {
		return false
	}
	return canWrite(there)
}

// existing is a folder, or the first one above it that is there.
func existing(dir string) string {
	for ; filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		if _, err := os.Stat(dir); err == nil {
			break
		}
	}
	return dir
}
