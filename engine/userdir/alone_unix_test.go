//go:build unix

package userdir_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/engine/userdir"
)

// Code is taken from these folders. So one that somebody else may have made or may write in is not used.
func TestAloneAmongOthers(t *testing.T) {
	elsewhere := t.TempDir()
	for name, put := range map[string]func(dir string) error{
		"others write in it": func(dir string) error { return os.Chmod(dir, 0o777) },
		"others read it":     func(dir string) error { return os.Chmod(dir, 0o755) },
		"a link":             func(dir string) error { return errorOf(os.Remove(dir), os.Symlink(elsewhere, dir)) },
		"a file":             func(dir string) error { return errorOf(os.Remove(dir), os.WriteFile(dir, nil, 0o600)) },
		"of another user": func(dir string) error {
			if os.Geteuid() != 0 {
				return os.Chmod(dir, 0o770) // only root gives a folder away
			}
			return os.Chown(dir, 12345, 12345)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("TMPDIR", t.TempDir())
			usual := filepath.Join(os.TempDir(), fmt.Sprintf("x-%d", os.Geteuid()))
			for range 2 {
				if got := userdir.Alone("x"); got != usual || !private(t, got) {
					t.Fatalf("at first: %s", got)
				}
			}
			if err := put(usual); err != nil {
				t.Fatal(err)
			}
			got := userdir.Alone("x")
			if got == usual || !strings.HasPrefix(got, usual+"-") || !private(t, got) {
				t.Errorf("then: %s", got)
			}
			if again := userdir.Alone("x"); again != got {
				t.Errorf("and then %s, not %s", again, got)
			}
			if err := os.Chmod(got, 0o777); err != nil {
				t.Fatal(err)
			}
			if again := userdir.Alone("x"); again == got || !private(t, again) {
				t.Errorf("after others could write there too: %s", again)
			}
		})
	}
}

// Where no folder can be made, there is none that somebody else could make.
func TestAloneWithoutAFolder(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	dir := userdir.Alone("x")
	if err := os.MkdirAll(dir, 0o700); err == nil {
		t.Errorf("%s can be made", dir)
	}
}

func private(t *testing.T, dir string) bool {
	t.Helper()
	info, err := os.Lstat(dir)
	return err == nil && info.IsDir() && info.Mode().Perm() == 0o700
}

func errorOf(first, second error) error {
	if first != nil {
		return first
	}
	return second
}
