//go:build unix

package recovery_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"conch/app/recovery"
	"conch/app/userfile"
)

const slotSize = 2 << 20

// TestReserveThatCannotBeRead: such a reserve is not free. Its content stays as it is, and comes back
// when it can be read.
func TestReserveThatCannotBeRead(t *testing.T) {
	flip := func(at int) func(t *testing.T, path string) {
		return func(t *testing.T, path string) {
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			content[at]++
			content[slotSize+at]++
			write(t, path, content)
		}
	}
	for name, spoil := range map[string]func(t *testing.T, path string){
		"a newer form": flip(len("conch r")),
		"another form": flip(0),
		"damage":       flip(100),
		"a newer form, written once": func(t *testing.T, path string) {
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			clear(content[:slotSize])
			content[slotSize+len("conch r")]++
			write(t, path, content)
		},
		"another size": func(t *testing.T, path string) {
			if err := os.Truncate(path, slotSize); err != nil {
				t.Fatal(err)
			}
		},
		"no lock can be taken": func(t *testing.T, path string) {
			if err := errors.Join(os.Remove(path+".lock"), os.Mkdir(path+".lock", 0o700)); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			f := open(t, onlyReserve(dir))
			wantKept(t, f, "/a")
			free := block(t, dir, "/a")
			for _, text := range []string{"m", "mi", "mine"} {
				writes(t, f, "/a", text)
			}
			free()
			f.Close()
			path := onlyFile(t, dir, "unsaved-reserve-1")
			saved, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			spoil(t, path)
			spoiled, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}

			f = open(t, onlyReserve(dir))
			if _, _, err := f.Read("/b"); err == nil || !strings.Contains(err.Error(), path) {
				t.Errorf("told %v", err)
			}
			if err := f.SetAside(); err != nil {
				t.Fatal(err)
			}
			free = block(t, dir, "/b")
			for _, text := range []string{"y", "yo", "yours"} {
				writes(t, f, "/b", text)
			}
			free()
			if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, spoiled) {
				t.Errorf("it was written over, %v", err)
			}
			f.Close()
			if err := os.RemoveAll(path + ".lock"); err != nil {
				t.Fatal(err)
			}

			write(t, path, saved)
			f = open(t, onlyReserve(dir))
			wantKept(t, f, "/a", "mine")
			wantKept(t, f, "/b", "yours")
		})
	}
}

// TestNewestReserve: of two reserves with drafts of one root the newer counts, whatever its number.
// The other one does not come back.
func TestNewestReserve(t *testing.T) {
	for newest := range 2 {
		dir := t.TempDir()
		both := []*recovery.Files{open(t, onlyReserve(dir)), open(t, onlyReserve(dir))}
		for _, f := range both {
			wantKept(t, f, "/a")
		}
		free := block(t, dir, "/a")
		writes(t, both[1-newest], "/a", "old")
		writes(t, both[newest], "/a", "new")
		free()
		for _, f := range both {
			f.Close()
		}
		f := open(t, onlyReserve(dir))
		wantKept(t, f, "/a", "new")
		writes(t, f, "/a")
		wantKept(t, reopen(t, f, onlyReserve(dir)), "/a")
	}
}

// TestLeftoversAreSwept: files that a killed program left half written are removed at the next start.
// Files that are being written, and all other files, stay.
func TestLeftoversAreSwept(t *testing.T) {
	dir, past := t.TempDir(), time.Now().Add(-2*recovery.LeftoverAge)
	usual := filepath.Join(dir, "unsaved-"+nameOf("/a"))
	next := func(path string, at time.Time) string {
		f, err := recovery.MakeNext(path)
		if err == nil {
			err = errors.Join(f.Close(), os.Chtimes(f.Name(), at, at))
		}
		if err != nil {
			t.Fatal(err)
		}
		return f.Name()
	}
	lock, err := userfile.TryLock(filepath.Join(dir, "unsaved-reserve-2.lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Close() }()
	stay := []string{
		next(usual, time.Now()), next(filepath.Join(dir, "unsaved-reserve-2"), past), next(filepath.Join(dir, "another.json"), past),
		usual, usual + ".damaged-20260102T030405.678", filepath.Join(dir, "unsaved-reserve-7"),
	}
	for _, path := range stay[3:] {
		write(t, path, nil)
		if err := os.Chtimes(path, past, past); err != nil {
			t.Fatal(err)
		}
	}
	reserve := filepath.Join(dir, "unsaved-reserve-1")
	killed := []string{next(usual, past), next(reserve, past), next(reserve, past)}
	open(t, onlyReserve(dir))
	left := func(path string) bool { _, err := os.Lstat(path); return err == nil }
	if i := slices.IndexFunc(stay, func(path string) bool { return !left(path) }); i >= 0 {
		t.Errorf("%s was removed", stay[i])
	}
	if i := slices.IndexFunc(killed, left); i >= 0 {
		t.Errorf("%s is left", killed[i])
	}
}
