package recovery

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"conch/app/overlay"
	"conch/app/userfile"
)

// place is one of the places for the recovery files of a root.
type place interface {
	// spot returns where the place is.
	spot() overlay.Spot
	// write replaces the content for a root. On an error the old content stays.
	write(content record) error
	// read returns the content for a root; false when there is none.
	read(root string) (record, bool, error)
	// has reports whether there is content for a root.
	has(root string) bool
	// clear removes the content for a root. It fails only where something may be left that a later
	// start would read.
	clear(root string) error
	// release ends the use of the place for a root. The content stays.
	release(root string)
}

// record is the content of a place for one root. It names the root for people, since the file's name
// is only a hash of it.
type record struct {
	Root string
	// Serial grows with each write: of two places the one with the greater serial counts.
	Serial uint64
	Drafts []recordDraft
}

type recordDraft struct {
	Path, Text, BaseVersion, BaseText string
	Version, Over                     uint64
	Changed                           time.Time
}

// nameFor returns a file name for a root or another subject.
func nameFor(what string) string {
	sum := sha256.Sum256([]byte(what))
	return "unsaved-" + hex.EncodeToString(sum[:16]) + ".json"
}

// beside is the usual place: a file for each root in the data folder.
type beside struct {
	dir string
	now func() time.Time
}

var _ place = (*beside)(nil)

func (b *beside) spot() overlay.Spot { return overlay.Spot{} }

func (b *beside) release(string) {}

func (b *beside) path(root string) string { return filepath.Join(b.dir, nameFor(root)) }

func (b *beside) write(content record) error {
	text, err := encode(content)
	if err == nil {
		err = writeWhole(b.path(content.Root), text)
	}
	if err != nil {
		return fmt.Errorf("write unsaved texts into a recovery file: %w", err)
	}
	return nil
}

func (b *beside) has(root string) bool {
	info, err := os.Lstat(b.path(root))
	return err == nil && info.Mode().IsRegular()
}

func (b *beside) clear(root string) error {
	if err := os.Remove(b.path(root)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove unsaved texts that are in the history now: %w", err)
	}
	return nil
}

// errDamagedFile says that a file was moved aside. A new one may be written in its place.
var errDamagedFile = errors.New("the file is damaged")

// errStays says that some content cannot be read and stays as it is. What is typed may be written to
// another place.
var errStays = errors.New("unsaved texts are left as they are")

// read moves a file aside that cannot be parsed.
func (b *beside) read(root string) (record, bool, error) {
	path := b.path(root)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return record{}, false, nil
	}
	var content record
	if err == nil {
		if content, err = decode(text); err != nil {
			aside := userfile.DamagedName(path, b.now())
			if moved := os.Rename(path, aside); moved == nil {
				return record{}, false, fmt.Errorf("%w: %s was moved to %s: %w", errDamagedFile, path, filepath.Base(aside), err)
			}
		}
	}
	if err != nil {
		return record{}, false, fmt.Errorf("the unsaved texts in %s cannot be read, and nothing is written over them; make the file readable, or move it away, and open the repository again: %w", path, err)
	}
	return content, true, nil
}

// writeWhole replaces a private file with another. A reader finds the old one or the new one, after a
// power cut too.
func writeWhole(path string, text []byte) error {
	return replace(path, func(f *os.File) error {
		_, err := f.Write(text)
		return err
	})
}

// replace replaces a private file with one that write fills, once that is on the disk. On an error no
// file is left behind.
func replace(path string, write func(*os.File) error) error {
	f, err := makeNext(path)
	if err != nil {
		return err
	}
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}
