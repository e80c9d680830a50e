package trash

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
	"unicode/utf8"

	"conch/repo/files"
	"conch/repo/layout"
)

// Trash is where deleted files go.
type Trash struct {
	// Own is the folder that takes them where the system has no trash that Conch knows.
	Own string
	// Outside is a folder that gets no trash in it: there each folder counts as something else.
	Outside string
	// Hold marks a folder as used until the result is closed, so that nobody clears what is on its way. Nil marks none.
	Hold func(dir string) (io.Closer, error)
}

// Item is something in the trash.
type Item struct {
	// Path is where it was, and In where it is now.
	Path, In string
	info     string
	trash    Trash
}

// ErrGone means that something is not in the trash any more.
var ErrGone = errors.New("it is not in the trash any more: it was put back or removed there")

// Put moves something to the trash. After an error it is where it was, or where a MovedError says.
func (t Trash) Put(ctx context.Context, path string) (Item, error) {
	var failed error
	for _, b := range t.bins(path) {
		item, err := t.put(ctx, path, b)
		if err == nil {
			item.trash = t
			return item, nil
		}
		if !isElsewhere(err) {
			return Item{}, err
		}
		failed = errors.Join(failed, err)
	}
	if failed == nil {
		failed = fmt.Errorf("there is no trash: %w", fs.ErrNotExist)
	}
	return Item{}, failed
}

// Place says where something would go.
type Place struct {
	// Dir is the trash.
	Dir string
	// Copied says that it is on another disk, so that it takes time and room.
	Copied bool
}

// For returns where something would go.
func (t Trash) For(path string) Place {
	for _, b := range t.bins(path) {
		if b.copies || b.canBe() {
			return Place{Dir: b.dir, Copied: b.copies}
		}
	}
	return Place{}
}

// elsewhereError means that this trash cannot take something, and another may.
type elsewhereError struct{ error }

func (e elsewhereError) Unwrap() error { return e.error }

func isElsewhere(err error) bool {
	_, is := errors.AsType[elsewhereError](err)
	return is
}

// put moves something into one trash.
func (t Trash) put(ctx context.Context, path string, b bin) (Item, error) {
	if err := b.prepare(); err != nil {
		return Item{}, elsewhereError{&TakeError{b.dir, err}}
	}
	item, err := b.reserve(path)
	if err != nil {
		return Item{}, elsewhereError{&TakeError{b.dir, err}}
	}
	if b.copies {
		err = t.moveByCopy(ctx, path, item.In)
	} else if err = files.Rename(path, item.In); errors.Is(err, syscall.EXDEV) {
		err = elsewhereError{err} // two mounts of one disk look like one
	}
	if moved, is := errors.AsType[*MovedError](err); is && moved.Now == item.In {
		return Item{}, err // the trash shows it
	}
	if err != nil {
		return Item{}, errors.Join(b.named(err), os.Remove(item.info))
	}
	return item, nil
}

// MovedError says that something was not moved to the trash as a whole, and could not get its place again either.
type MovedError struct {
	// Now is where it is.
	Now string
	Err error
}

func (e *MovedError) Error() string { return e.Err.Error() + "; it is now at " + e.Now }

// Unwrap returns why it was not moved.
func (e *MovedError) Unwrap() error { return e.Err }

// TakeError says that a trash, and not what was to go there, is the reason.
type TakeError struct {
	Dir string
	Err error
}

func (e *TakeError) Error() string { return "the trash " + e.Dir + ": " + e.Err.Error() }

// Unwrap returns the operating system's error.
func (e *TakeError) Unwrap() error { return e.Err }

// named makes an error that the trash's disk has met one of the trash.
func (b bin) named(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok && layout.Below(b.dir, at.Path) {
		return &TakeError{b.dir, err}
	}
	return err
}

// longestName leaves room for a number and an ending.
const longestName = 200

// numbered is the name of the i-th thing of one name. No character is cut in two: some disks refuse half of one.
func numbered(base string, i int) string {
	if end := longestName; len(base) > end {
		for end > longestName-utf8.UTFMax && !utf8.RuneStart(base[end]) {
			end--
		}
		base = base[:end]
	}
	if i == 1 {
		return base
	}
	return base + "." + strconv.Itoa(i)
}

// reserve takes a free name in the trash by the file that tells where something comes from.
func (b bin) reserve(path string) (Item, error) {
	from := path
	if b.top != "" {
		rel, err := filepath.Rel(b.top, path)
		if err != nil {
			return Item{}, err
		}
		from = filepath.ToSlash(rel)
	}
	for i := 1; ; i++ {
		name := numbered(filepath.Base(path), i)
		item := Item{Path: path, In: filepath.Join(b.dir, "files", name), info: filepath.Join(b.dir, "info", name+".trashinfo")}
		if _, err := os.Lstat(item.In); err == nil {
			continue
		}
		err := writeNew(item.info, fmt.Sprintf("[Trash Info]\nPath=%s\nDeletionDate=%s\n",
			(&url.URL{Path: from}).EscapedPath(), time.Now().Format("2006-01-02T15:04:05")))
		if !errors.Is(err, fs.ErrExist) {
			return item, err
		}
	}
}

func writeNew(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if _, err = f.WriteString(text); err != nil {
		return errors.Join(err, f.Close(), os.Remove(path))
	}
	return f.Close()
}

// Restore puts something back where it was. Nothing is replaced.
func (i Item) Restore(ctx context.Context) error {
	if _, err := os.Lstat(i.In); err != nil {
		return ErrGone
	}
	if _, err := os.Lstat(i.Path); err == nil {
		return &fs.PathError{Op: "rename", Path: i.Path, Err: fs.ErrExist} // before it is copied for nothing
	}
	err := files.Rename(i.In, i.Path)
	if errors.Is(err, syscall.EXDEV) {
		err = i.copyBack(ctx)
	}
	if errors.Is(err, errLeft) {
		return nil // the trash shows what it holds still
	}
	if err != nil {
		return err
	}
	_ = os.Remove(i.info) // without it the trash shows nothing
	return nil
}
