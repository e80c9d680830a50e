//go:build unix

package write_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"conch/repo/write"
)

func TestSave(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.pbtxt")
	none := write.Version{}
	first, err := write.Save(path, []byte("one"), none)
	check(t, err)
	second, err := write.Save(path, []byte("two"), first)
	check(t, err)
	content, now, err := write.Read(path)
	check(t, err)
	if string(content) != "two" || !now.Same(second) || !now.ModTime.Equal(second.ModTime) {
		t.Errorf("read %q, %v; saved %v", content, now, second)
	}
	if again, err := write.Save(path, []byte("two"), second); err != nil || again != second {
		t.Errorf("saving the same again: %v, %v; want %v and the file untouched", again, err, second)
	}
	onlyFile(t, path)
}

func TestConflict(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.pbtxt")
	base, err := write.Save(path, []byte("mine"), write.Version{})
	check(t, err)
	check(t, os.WriteFile(path, []byte("theirs"), 0o644))

	_, err = write.Save(path, []byte("mine, edited"), base)
	conflict := wantConflict(t, err)
	if string(conflict.Disk) != "theirs" {
		t.Errorf("Disk = %q", conflict.Disk)
	}
	wantContent(t, path, "theirs")
	_, err = write.Save(path, []byte("merged"), conflict.Version)
	check(t, err)
	wantContent(t, path, "merged")
}

func TestConflictWhenDeletedOrCreated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.pbtxt")
	base, err := write.Save(path, []byte("mine"), write.Version{})
	check(t, err)
	check(t, os.Remove(path))
	_, err = write.Save(path, []byte("mine, edited"), base)
	if conflict := wantConflict(t, err); conflict.Version.Exists() || conflict.Disk != nil {
		t.Errorf("conflict = %+v", conflict)
	}
	check(t, os.WriteFile(path, []byte("theirs"), 0o644))
	_, err = write.Save(path, []byte("new"), write.Version{})
	wantConflict(t, err)
}

// TestTouchedIsNoConflict: git checkout and cp -p move times about.
func TestTouchedIsNoConflict(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.pbtxt")
	base, err := write.Save(path, []byte("mine"), write.Version{})
	check(t, err)
	later := base.ModTime.Add(1e9)
	check(t, os.Chtimes(path, later, later))
	_, err = write.Save(path, []byte("mine, edited"), base)
	check(t, err)
}

// TestConflictAtTheLastMoment: somebody else saves while our flush takes time.
func TestConflictAtTheLastMoment(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.pbtxt")
	base, err := write.Save(path, []byte("mine"), write.Version{})
	check(t, err)
	slow := write.Faults{Sync: func(f *os.File) error {
		return errors.Join(f.Sync(), os.WriteFile(path, []byte("theirs"), 0o644))
	}}
	_, err = write.SaveWith(slow, path, []byte("mine, edited"), base)
	wantConflict(t, err)
	wantContent(t, path, "theirs")
	onlyFile(t, path)
}

func TestKeepsPermissions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.pbtxt")
	base, err := write.Save(path, []byte("one"), write.Version{})
	check(t, err)
	check(t, os.Chmod(path, 0o640))
	_, err = write.Save(path, []byte("two"), base)
	check(t, err)
	info, err := os.Stat(path)
	check(t, err)
	if info.Mode().Perm() != 0o640 {
		t.Errorf("mode = %o", info.Mode().Perm())
	}
}

func TestKeepsOwner(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.pbtxt")
	base, err := write.Save(path, []byte("one"), write.Version{})
	check(t, err)
	// Only root may give a file away; for others it stays their own.
	given := os.Chown(path, 1234, 1234) == nil
	_, err = write.Save(path, []byte("two"), base)
	check(t, err)
	info, err := os.Stat(path)
	check(t, err)
	want := uint32(os.Getuid())
	if given {
		want = 1234
	}
	if st := info.Sys().(*syscall.Stat_t); st.Uid != want {
		t.Errorf("owner = %d, want %d", st.Uid, want)
	}
}

func TestFollowsLinks(t *testing.T) {
	top := t.TempDir()
	target, link := filepath.Join(top, "real", "shared.pbtxt"), filepath.Join(top, "config.pbtxt")
	check(t, os.Mkdir(filepath.Dir(target), 0o755))
	check(t, os.WriteFile(target, []byte("one"), 0o644))
	check(t, os.Symlink("real/shared.pbtxt", link))
	_, base, err := write.Read(link)
	check(t, err)
	_, err = write.Save(link, []byte("two"), base)
	check(t, err)
	wantContent(t, target, "two")
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is no link any more: %v, %v", info, err)
	}
	onlyFile(t, target)

	dangling := filepath.Join(top, "dangling")
	check(t, os.Symlink("nowhere", dangling))
	_, err = write.Save(dangling, []byte("x"), write.Version{})
	wantWords(t, err, "symbolic link", "does not exist")
}

// TestFaults: whatever fails, the old file stays and no temporary file is left.
func TestFaults(t *testing.T) {
	full := &fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}
	cases := map[string]struct {
		faults write.Faults
		words  []string
	}{
		"disk full half-way": {write.Faults{Write: func(f *os.File, content []byte) error {
			_, err := f.Write(content[:1])
			return errors.Join(err, full)
		}}, []string{"the disk is full", "free some space", "unchanged"}},
		"disk full on flush":  {write.Faults{Sync: func(*os.File) error { return full }}, []string{"the disk is full"}},
		"quota":               {write.Faults{Write: func(*os.File, []byte) error { return syscall.EDQUOT }}, []string{"quota"}},
		"disk error on flush": {write.Faults{Sync: func(*os.File) error { return syscall.EIO }}, []string{"input/output error"}},
		"read-only folder": {write.Faults{Create: func(name string) (*os.File, error) {
			return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.EACCES}
		}}, []string{"permission denied", "chmod"}},
		"read-only mount": {write.Faults{Create: func(name string) (*os.File, error) {
			return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.EROFS}
		}}, []string{"mounted read-only", "copy of the repository"}},
		"rename refused": {write.Faults{Rename: func(from, to string) error {
			return &os.LinkError{Op: "rename", Old: from, New: to, Err: syscall.EPERM}
		}}, []string{"permission denied"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "config.pbtxt")
			base, err := write.Save(path, []byte("old"), write.Version{})
			check(t, err)
			_, err = write.SaveWith(c.faults, path, []byte("new"), base)
			wantWords(t, err, append(c.words, path)...)
			wantContent(t, path, "old")
			onlyFile(t, path)
		})
	}
}

func TestReadOnlyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.pbtxt")
	base, err := write.Save(path, []byte("old"), write.Version{})
	check(t, err)
	check(t, os.Chmod(path, 0o444))
	_, err = write.Save(path, []byte("new"), base)
	wantWords(t, err, "read-only", "chmod u+w", "unchanged")
	if !errors.Is(err, fs.ErrPermission) {
		t.Errorf("%v is no ErrPermission", err)
	}
	wantContent(t, path, "old")
	onlyFile(t, path)
}

func TestImpossiblePlaces(t *testing.T) {
	top := t.TempDir()
	check(t, os.WriteFile(filepath.Join(top, "file"), nil, 0o644))
	_, err := write.Save(filepath.Join(top, "gone", "config.pbtxt"), nil, write.Version{})
	wantWords(t, err, "does not exist")
	_, err = write.Save(top, []byte("x"), write.Version{})
	wantWords(t, err, "is a folder")
	_, err = write.Save(filepath.Join(top, "file", "config.pbtxt"), nil, write.Version{})
	wantWords(t, err, "not a folder")
}

// TestReadersSeeWholeFiles: a reader sees while a file is saved the old text or the new one.
func TestReadersSeeWholeFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.pbtxt")
	texts := [2]string{strings.Repeat("old\n", 20_000), strings.Repeat("the new one\n", 30_000)}
	check(t, os.WriteFile(path, []byte(texts[0]), 0o644))
	saved := make(chan error)
	go func() {
		_, version, err := write.Read(path)
		for i := 0; i < 50 && err == nil; i++ {
			version, err = write.Save(path, []byte(texts[(i+1)%2]), version)
		}
		saved <- err
	}()
	for {
		select {
		case err := <-saved:
			check(t, err)
			return
		default:
		}
		content, err := os.ReadFile(path)
		if err != nil || string(content) != texts[0] && string(content) != texts[1] {
			t.Fatalf("read %d bytes, %v", len(content), err)
		}
	}
}

// TestOddFilesAreRefused: a pipe would be waited for.
func TestOddFilesAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.pbtxt")
	check(t, syscall.Mkfifo(path, 0o644))
	_, _, err := write.Read(path)
	wantWords(t, err, "cannot read "+path, "it is a named pipe, not a file")
	_, err = write.Save(path, []byte("x"), write.Version{})
	wantWords(t, err, "cannot save "+path, "it is a named pipe, not a file")
}

// TestConcurrentSaves: of many saves with one base exactly one may win.
func TestConcurrentSaves(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.pbtxt")
	base, err := write.Save(path, []byte("base"), write.Version{})
	check(t, err)
	var wait sync.WaitGroup
	results := make(chan error, 8)
	for i := range cap(results) {
		wait.Go(func() {
			_, err := write.Save(path, []byte{byte('a' + i)}, base)
			results <- err
		})
	}
	wait.Wait()
	close(results)
	won := 0
	for err := range results {
		if err == nil {
			won++
			continue
		}
		wantConflict(t, err)
	}
	if won != 1 {
		t.Errorf("%d saves won", won)
	}
}

// Files that somebody tried to save are not kept.
func TestLocksAreNotKept(t *testing.T) {
	dir := t.TempDir()
	before := write.Locks()
	for i := range 100_000 {
		path := filepath.Join(dir, fmt.Sprint("nobody", i))
		base := write.VersionOf([]byte("what it never held"), time.Time{})
		if _, err := write.Save(path, []byte("x"), base); err == nil {
			t.Fatalf("%s was saved over something else", path)
		}
	}
	if n := write.Locks(); n != before {
		t.Errorf("%d locks are kept", n)
	}
}
