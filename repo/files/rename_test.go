package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestRenameReplacesNothing: on each way that a rename takes, what has the name stays, and so does what wanted it.
func TestRenameReplacesNothing(t *testing.T) {
	for way, rename := range map[string]func(from, to string) error{"rename": Rename, "link": renameByLink} {
		t.Run(way, func(t *testing.T) {
			dir := t.TempDir()
			in := func(name string) string { return filepath.Join(dir, name) }
			write := func(name string) {
				if err := os.WriteFile(in(name), []byte(name), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			write("mine")
			write("theirs")
			if err := os.Mkdir(in("folder"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(in("empty"), 0o700); err != nil {
				t.Fatal(err)
			}
			for from, to := range map[string]string{"mine": "theirs", "folder": "empty"} {
				if err := rename(in(from), in(to)); !errors.Is(err, fs.ErrExist) {
					t.Errorf("%s over %s: %v", from, to, err)
				}
				if _, err := os.Lstat(in(from)); err != nil {
					t.Error(err)
				}
			}
			if text, err := os.ReadFile(in("theirs")); err != nil || string(text) != "theirs" {
				t.Errorf("there is %q, %v", text, err)
			}
			if err := rename(in("gone"), in("new")); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("of nothing: %v", err)
			}
			for _, from := range []string{"mine", "folder"} {
				if err := rename(in(from), in(from+" moved")); err != nil {
					t.Error(err)
				}
				if _, err := os.Lstat(in(from + " moved")); err != nil {
					t.Error(err)
				}
				if _, err := os.Lstat(in(from)); err == nil {
					t.Errorf("%s is there still", from)
				}
			}
		})
	}
}
