package trash_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"conch/build/fulldisk"
	"conch/repo/trash"
)

func TestMain(m *testing.M) {
	fulldisk.WithoutTestLog()
	os.Exit(m.Run())
}

// home gives the test a home trash, and returns it.
func home(t *testing.T) string {
	t.Helper()
	data := t.TempDir()
	t.Setenv("XDG_DATA_HOME", data)
	return filepath.Join(data, "Trash")
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// folder makes a folder with a file, one that is empty, and a link, and returns it.
func folder(t *testing.T, in string) string {
	t.Helper()
	dir := filepath.Join(in, "my model 100%ä")
	check(t, os.MkdirAll(filepath.Join(dir, "1", "empty"), 0o755))
	check(t, os.WriteFile(filepath.Join(dir, "1", "model.py"), []byte("mine"), 0o640))
	check(t, os.Chtimes(filepath.Join(dir, "1", "model.py"), time.Time{}, time.Unix(1_000_000_000, 0)))
	check(t, os.Symlink("../labels", filepath.Join(dir, "1", "link")))
	return dir
}

// whole fails unless all of such a folder is there.
func whole(t *testing.T, dir string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "1", "model.py"))
	if err != nil || string(text) != "mine" {
		t.Errorf("the file is %q, %v", text, err)
	}
	if info, err := os.Stat(filepath.Join(dir, "1", "model.py")); err == nil && (info.Mode().Perm() != 0o640 || info.ModTime().Unix() != 1_000_000_000) {
		t.Errorf("the file has %v and was changed %v", info.Mode(), info.ModTime())
	}
	if target, err := os.Readlink(filepath.Join(dir, "1", "link")); err != nil || target != "../labels" {
		t.Errorf("the link leads to %q, %v", target, err)
	}
	if info, err := os.Stat(filepath.Join(dir, "1", "empty")); err != nil || !info.IsDir() {
		t.Errorf("the empty folder: %v", err)
	}
}

func gone(t *testing.T, path string) {
	t.Helper()
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is there: %v", path, err)
	}
}

// TestThereAndBack: what goes to the trash of the home comes back as it was, and two of one name stay two.
func TestThereAndBack(t *testing.T) {
	bin := home(t)
	dir := folder(t, t.TempDir())
	first, err := trash.Trash{}.Put(t.Context(), dir)
	check(t, err)
	gone(t, dir)
	whole(t, first.In)
	second, err := trash.Trash{}.Put(t.Context(), folder(t, filepath.Dir(dir)))
	check(t, err)
	if first.In == second.In || filepath.Dir(first.In) != filepath.Join(bin, "files") {
		t.Errorf("they lie at %s and %s", first.In, second.In)
	}
	check(t, first.Restore(t.Context()))
	whole(t, dir)
	if err := second.Restore(t.Context()); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over what is there: %v", err)
	}
	whole(t, second.In)
	if err := first.Restore(t.Context()); !errors.Is(err, trash.ErrGone) {
		t.Errorf("twice: %v", err)
	}
	if info, err := os.Stat(bin); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the trash: %v, %v", info.Mode(), err)
	}
	left, err := filepath.Glob(filepath.Join(bin, "info", "*"))
	if err != nil || len(left) != 1 {
		t.Errorf("the trash tells of %q, %v", left, err)
	}
}

// TestAsTheSystemWritesIt: the file that tells where something comes from is the one that GNOME's program writes.
func TestAsTheSystemWritesIt(t *testing.T) {
	program, err := exec.LookPath("gio")
	if err != nil {
		t.Skip("no gio here")
	}
	bin := home(t)
	dir := folder(t, t.TempDir())
	if out, err := exec.Command(program, "trash", dir).CombinedOutput(); err != nil {
		t.Skipf("gio moves nothing to the trash here: %s, %v", out, err)
	}
	told := func(name string) string {
		text, err := os.ReadFile(filepath.Join(bin, "info", name))
		check(t, err)
		before, date, _ := strings.Cut(string(text), "DeletionDate=")
		if _, err := time.Parse("2006-01-02T15:04:05\n", date); err != nil {
			t.Error(err)
		}
		return before
	}
	theirs := told(filepath.Base(dir) + ".trashinfo")
	item, err := trash.Trash{}.Put(t.Context(), folder(t, filepath.Dir(dir)))
	check(t, err)
	if ours := told(filepath.Base(item.In) + ".trashinfo"); ours != theirs {
		t.Errorf("wrote %q, gio %q", ours, theirs)
	}
}

// TestTrashOfADisk: what lies on another disk goes to a trash there, unless that is a place where folders mean something.
func TestTrashOfADisk(t *testing.T) {
	fulldisk.Run(t, 1<<20, func(t *testing.T, disk *fulldisk.Disk) {
		bin, uid := home(t), strconv.Itoa(os.Getuid())
		dir := folder(t, disk.Dir)
		if where := (trash.Trash{}).For(dir); where.Copied || where.Dir != filepath.Join(disk.Dir, ".Trash-"+uid) {
			t.Errorf("it would go to %+v", where)
		}
		item, err := trash.Trash{}.Put(t.Context(), dir)
		check(t, err)
		whole(t, item.In)
		if filepath.Dir(item.In) != filepath.Join(disk.Dir, ".Trash-"+uid, "files") {
			t.Errorf("it went to %s", item.In)
		}
		check(t, item.Restore(t.Context()))
		check(t, os.RemoveAll(filepath.Join(disk.Dir, ".Trash-"+uid)))

		// One that users share counts only where nobody removes what is another's.
		shared := filepath.Join(disk.Dir, ".Trash")
		check(t, os.Mkdir(shared, 0o777))
		item, err = trash.Trash{}.Put(t.Context(), dir)
		check(t, err)
		if filepath.Dir(item.In) != filepath.Join(disk.Dir, ".Trash-"+uid, "files") {
			t.Errorf("without the bit: %s", item.In)
		}
		check(t, item.Restore(t.Context()))
		check(t, os.Chmod(shared, 0o777|fs.ModeSticky))
		item, err = trash.Trash{}.Put(t.Context(), dir)
		check(t, err)
		if filepath.Dir(item.In) != filepath.Join(shared, uid, "files") {
			t.Errorf("with the bit: %s", item.In)
		}
		check(t, item.Restore(t.Context()))

		// A link in its place leads to where somebody else reads it.
		check(t, os.RemoveAll(shared))
		check(t, os.RemoveAll(filepath.Join(disk.Dir, ".Trash-"+uid)))
		theirs := t.TempDir()
		check(t, os.Symlink(theirs, filepath.Join(disk.Dir, ".Trash-"+uid)))
		for _, outside := range []string{"", disk.Dir} {
			item, err = trash.Trash{Outside: outside}.Put(t.Context(), dir)
			check(t, err)
			if filepath.Dir(item.In) != filepath.Join(bin, "files") {
				t.Errorf("it went to %s", item.In)
			}
			gone(t, dir)
			whole(t, item.In)
			check(t, item.Restore(t.Context()))
			whole(t, dir)
			if left, err := os.ReadDir(theirs); err != nil || len(left) > 0 {
				t.Errorf("behind the link: %v, %v", left, err)
			}
			if outside == "" {
				check(t, os.Remove(filepath.Join(disk.Dir, ".Trash-"+uid)))
			}
		}
		if left, err := os.ReadDir(disk.Dir); err != nil || len(left) != 1 {
			t.Errorf("on the disk: %v, %v", left, err)
		}
	})
}

// TestNothingIsLostInACopy: a trash that is full, a copy that is stopped and what cannot be copied leave all as it was.
func TestNothingIsLostInACopy(t *testing.T) {
	fulldisk.Run(t, 1<<20, func(t *testing.T, disk *fulldisk.Disk) {
		t.Setenv("XDG_DATA_HOME", disk.Dir)
		dir := folder(t, t.TempDir())
		to := trash.Trash{Outside: "/"}
		if where := to.For(dir); !where.Copied || where.Dir != filepath.Join(disk.Dir, "Trash") {
			t.Errorf("it would go to %+v", where)
		}
		stopped, stop := context.WithCancel(t.Context())
		stop()
		if _, err := to.Put(stopped, dir); !errors.Is(err, context.Canceled) {
			t.Errorf("stopped: %v", err)
		}
		check(t, os.WriteFile(filepath.Join(dir, "2"), make([]byte, 2<<20), 0o666))
		if _, err := to.Put(t.Context(), dir); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("on a full disk: %v", err)
		}
		check(t, os.Remove(filepath.Join(dir, "2")))
		pipe := filepath.Join(dir, "pipe")
		check(t, syscall.Mkfifo(pipe, 0o600))
		if _, err := to.Put(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "pipe") {
			t.Errorf("a pipe: %v", err)
		}
		check(t, os.Remove(pipe))
		whole(t, dir)
		for _, name := range []string{"files", "info"} {
			if left, err := os.ReadDir(filepath.Join(disk.Dir, "Trash", name)); err != nil || len(left) > 0 {
				t.Errorf("left in the trash: %v, %v", left, err)
			}
		}
		item, err := to.Put(t.Context(), dir)
		check(t, err)
		gone(t, dir)
		whole(t, item.In)
	})
}

// TestWithoutAHome: where the system has no trash for this user, a folder of Conch's own takes it.
func TestWithoutAHome(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", "")
	t.Setenv("HOME", "")
	dir, own := folder(t, t.TempDir()), filepath.Join(t.TempDir(), "trash")
	if _, err := (trash.Trash{Outside: "/"}).Put(t.Context(), dir); err == nil {
		t.Error("it went nowhere")
	}
	whole(t, dir)
	item, err := trash.Trash{Own: own, Outside: "/"}.Put(t.Context(), dir)
	check(t, err)
	if filepath.Dir(item.In) != filepath.Join(own, "files") {
		t.Errorf("it went to %s", item.In)
	}
	check(t, item.Restore(t.Context()))
	whole(t, dir)
	// A home that is a file takes nothing.
	file := filepath.Join(t.TempDir(), "file")
	check(t, os.WriteFile(file, nil, 0o600))
	t.Setenv("XDG_DATA_HOME", file)
	item, err = trash.Trash{Own: own, Outside: "/"}.Put(t.Context(), dir)
	check(t, err)
	if filepath.Dir(item.In) != filepath.Join(own, "files") {
		t.Errorf("beside a home that is a file it went to %s", item.In)
	}
}
