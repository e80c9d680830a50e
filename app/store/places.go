package store

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// place is one of the places in which the drafts of a root can be parked.
type place interface {
	// spot says where it is.
	spot() Spot
	// write replaces what is there of a root. On an error what was there before stays.
	write(content parkedFile) error
	// read gives what is there of a root; false when there is nothing.
	read(root string) (parkedFile, bool, error)
	// has says whether something is there of a root.
	has(root string) bool
	// clear removes what is there of a root. It fails only where something may be left that a later start would read.
	clear(root string) error
	// leave ends the use of the place for a root; what is there stays.
	leave(root string)
}

// Spot says where drafts are parked.
type Spot struct {
	// Path is the file or the folder; "" is the usual place, a file beside the database.
	Path string
	// Passing says that what is there is gone when the machine starts anew, or when the user logs out.
	Passing bool
}

// parkedFile is what is parked of a root. It names the root for people: the file's name is only made of it.
type parkedFile struct {
	Root string
	// Serial grows with every writing: of two places the one with the greater serial counts.
	Serial uint64
	Drafts []parkedDraft
}

type parkedDraft struct {
	Path, Text, BaseVersion, BaseText string
	Version, Over                     uint64
	Changed                           time.Time
}

// nameFor makes a file's name of what it is for.
func nameFor(what string) string {
	sum := sha256.Sum256([]byte(what))
	return "unsaved-" + hex.EncodeToString(sum[:16]) + ".json"
}

// damagedSuffix makes the name of a file that is moved aside.
func damagedSuffix(at time.Time) string { return ".damaged-" + at.UTC().Format("20060102T150405.000") }

// beside is the usual place: a file for each root beside the database.
type beside struct {
	dir string
	now func() time.Time
}

var _ place = (*beside)(nil)

func (b *beside) spot() Spot { return Spot{} }

func (b *beside) leave(string) {}

func (b *beside) path(root string) string { return filepath.Join(b.dir, nameFor(root)) }

func (b *beside) write(content parkedFile) error {
	text, err := encode(content)
	if err == nil {
		err = writeWhole(b.path(content.Root), text)
	}
	if err != nil {
		return fmt.Errorf("write unsaved texts beside the history: %w", err)
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

// errDamagedFile says that a file was moved aside: another one may take its place.
var errDamagedFile = errors.New("the file is damaged")

// errStays says that something cannot be read and stays as it is: another place may take what is typed.
var errStays = errors.New("unsaved texts are left as they are")

// read moves a file aside that cannot be understood.
func (b *beside) read(root string) (parkedFile, bool, error) {
	path := b.path(root)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return parkedFile{}, false, nil
	}
	var content parkedFile
	if err == nil {
		if content, err = decode(text); err != nil {
			aside := path + damagedSuffix(b.now())
			if moved := os.Rename(path, aside); moved == nil {
				return parkedFile{}, false, fmt.Errorf("%w: %s was moved to %s: %w", errDamagedFile, path, filepath.Base(aside), err)
			}
		}
	}
	if err != nil {
		return parkedFile{}, false, fmt.Errorf("the unsaved texts in %s cannot be read, and nothing is written over them; make the file readable, or move it away, and open the repository again: %w", path, err)
	}
	return content, true, nil
}

// writeWhole puts a private file in the place of another; whoever reads finds the one or the other, after a power cut too.
func writeWhole(path string, text []byte) error {
	f, err := makeNext(path)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
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
