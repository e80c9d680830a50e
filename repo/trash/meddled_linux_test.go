package trash_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"conch/build/fulldisk"
	"conch/repo/trash"
)

// meddled is a context that lets another program act whenever somebody asks whether it lasts.
type meddled struct {
	context.Context
	act   func(time int)
	asked int
}

func (m *meddled) Err() error {
	m.asked++
	m.act(m.asked)
	return m.Context.Err()
}

// acrossDisks gives the test a trash on another disk, and a model.
func acrossDisks(t *testing.T, test func(t *testing.T, to trash.Trash, dir string)) {
	t.Helper()
	fulldisk.Run(t, 1<<20, func(t *testing.T, disk *fulldisk.Disk) {
		t.Setenv("XDG_DATA_HOME", disk.Dir)
		test(t, trash.Trash{Outside: "/"}, folder(t, t.TempDir()))
	})
}

// alone fails when something of a deletion is left beside a path.
func alone(t *testing.T, path string) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".conch-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left beside it: %q, %v", left, err)
	}
}

// TestNoChangeIsLost: whenever another program writes while something is copied to the trash, what it wrote is there.
func TestNoChangeIsLost(t *testing.T) {
	acrossDisks(t, func(t *testing.T, to trash.Trash, dir string) {
		count := &meddled{Context: t.Context(), act: func(int) {}}
		item, err := to.Put(count, dir)
		check(t, err)
		check(t, item.Restore(t.Context()))
		file := filepath.Join(dir, "1", "model.py")
		for when := 1; when <= count.asked; when++ {
			wrote := false
			ctx := &meddled{Context: t.Context(), act: func(now int) {
				if now == when {
					wrote = os.WriteFile(file, []byte("newer text"), 0o640) == nil
				}
			}}
			item, err := to.Put(ctx, dir)
			at := file
			if err == nil {
				at = filepath.Join(item.In, "1", "model.py")
			}
			if text, _ := os.ReadFile(at); wrote && string(text) != "newer text" {
				t.Errorf("written at step %d of %d: %q is there; %v", when, count.asked, text, err)
			}
			alone(t, dir)
			if err == nil {
				check(t, item.Restore(t.Context()))
			}
			check(t, os.RemoveAll(dir))
			folder(t, filepath.Dir(dir))
		}
	})
}

// TestBackReplacesNothing: what appears while something is copied back stays, and so does what is in the trash.
func TestBackReplacesNothing(t *testing.T) {
	acrossDisks(t, func(t *testing.T, to trash.Trash, dir string) {
		file := filepath.Join(dir, "1", "model.py")
		item, err := to.Put(t.Context(), file)
		check(t, err)
		ctx := &meddled{Context: t.Context(), act: func(int) { check(t, os.WriteFile(file, []byte("theirs"), 0o600)) }}
		if err := item.Restore(ctx); !errors.Is(err, fs.ErrExist) || ctx.asked == 0 {
			t.Errorf("over what appeared: %v after %d", err, ctx.asked)
		}
		if text, err := os.ReadFile(file); err != nil || string(text) != "theirs" {
			t.Errorf("there is %q, %v", text, err)
		}
		if text, err := os.ReadFile(item.In); err != nil || string(text) != "mine" {
			t.Errorf("in the trash is %q, %v", text, err)
		}
		alone(t, file)
	})
}

// TestBackTwiceAtOnce: two that put the same thing back at once lose nothing of it.
func TestBackTwiceAtOnce(t *testing.T) {
	acrossDisks(t, func(t *testing.T, to trash.Trash, dir string) {
		item, err := to.Put(t.Context(), dir)
		check(t, err)
		var second error
		ctx := &meddled{Context: t.Context(), act: func(now int) {
			if now == 2 { // one file is copied
				second = item.Restore(t.Context())
			}
		}}
		first := item.Restore(ctx)
		if (first == nil) == (second == nil) {
			t.Errorf("the first: %v, the second: %v", first, second)
		}
		whole(t, dir)
		alone(t, dir)
	})
}

// TestFullTrashIsNamed: the disk that is full is that of the trash, and not the one of the model.
func TestFullTrashIsNamed(t *testing.T) {
	acrossDisks(t, func(t *testing.T, to trash.Trash, dir string) {
		check(t, os.WriteFile(filepath.Join(dir, "2"), make([]byte, 2<<20), 0o666))
		_, err := to.Put(t.Context(), dir)
		full, named := errors.AsType[*trash.TakeError](err)
		if !named || !errors.Is(err, syscall.ENOSPC) || full.Dir != to.For(dir).Dir {
			t.Errorf("said %v", err)
		}
	})
}

// TestWhatCannotGoBackIsKept: what changed while it was copied lies beside what took its place meanwhile, and its copy
// stays where its folder was moved away.
func TestWhatCannotGoBackIsKept(t *testing.T) {
	put := func(t *testing.T, to trash.Trash, dir string, act func(gone bool)) *trash.MovedError {
		t.Helper()
		_, err := to.Put(&meddled{Context: t.Context(), act: func(int) {
			_, err := os.Lstat(dir)
			act(errors.Is(err, fs.ErrNotExist))
		}}, dir)
		moved, is := errors.AsType[*trash.MovedError](err)
		if !is {
			t.Fatalf("said %v", err)
		}
		return moved
	}
	text := func(t *testing.T, path, want string) {
		t.Helper()
		if text, err := os.ReadFile(path); err != nil || string(text) != want {
			t.Errorf("%s is %q, %v", path, text, err)
		}
	}
	acrossDisks(t, func(t *testing.T, to trash.Trash, dir string) {
		moved := put(t, to, dir, func(gone bool) {
			_ = os.WriteFile(filepath.Join(dir, "1", "model.py"), []byte("newer text"), 0o640) // while it is there
			if gone {
				check(t, os.Mkdir(dir, 0o700))
				check(t, os.WriteFile(filepath.Join(dir, "theirs"), []byte("theirs"), 0o640))
			}
		})
		if moved.Now != dir+".2" {
			t.Errorf("it is at %s", moved.Now)
		}
		text(t, filepath.Join(moved.Now, "1", "model.py"), "newer text")
		text(t, filepath.Join(dir, "theirs"), "theirs")
		alone(t, dir)
		if left, err := filepath.Glob(filepath.Join(to.For(dir).Dir, "*", "*")); err != nil || len(left) > 0 {
			t.Errorf("left in the trash: %q, %v", left, err)
		}
	})
	acrossDisks(t, func(t *testing.T, to trash.Trash, dir string) {
		parent := filepath.Dir(dir)
		moved := put(t, to, dir, func(gone bool) {
			if gone {
				_ = os.Rename(parent, parent+" moved")
			}
		})
		whole(t, moved.Now)
		info := filepath.Join(filepath.Dir(filepath.Dir(moved.Now)), "info", filepath.Base(moved.Now)+".trashinfo")
		if _, err := os.Stat(info); err != nil {
			t.Errorf("the trash does not show it: %v", err)
		}
	})
}

// TestLongNames: of a name that is too long for a number and an ending, whole characters are kept.
func TestLongNames(t *testing.T) {
	home(t)
	dir := t.TempDir()
	for _, name := range []string{strings.Repeat("語", 80), "x" + strings.Repeat("語", 80), strings.Repeat("\x80", 250)} {
		path := filepath.Join(dir, name)
		for range 2 {
			check(t, os.WriteFile(path, []byte(name), 0o600))
			item, err := trash.Trash{}.Put(t.Context(), path)
			check(t, err)
			if at := filepath.Base(item.In); utf8.ValidString(name) && !utf8.ValidString(at) || len(at) > 202 {
				t.Errorf("it is at %q", at)
			}
			check(t, item.Restore(t.Context()))
			check(t, os.Remove(path))
			check(t, os.WriteFile(item.In, nil, 0o600)) // the next one gets a number
		}
	}
}
