package layout_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"testing/fstest"

	"conch/repo/layout"
)

// TestIdentity: two names of a folder are one folder, and another folder in its place is another.
func TestIdentity(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not number folders")
	}
	dir := t.TempDir()
	made, link := filepath.Join(dir, "made"), filepath.Join(dir, "link")
	if err := os.Mkdir(made, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(made, link); err != nil {
		t.Fatal(err)
	}
	identity := func(path string) layout.Identity {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return layout.IdentityOf(path, info)
	}
	first := identity(made)
	if first != identity(link) || first.String() == "" {
		t.Errorf("%v and %v", first, identity(link))
	}
	if err := os.Rename(made, made+".old"); err != nil { // its number is not free
		t.Fatal(err)
	}
	if err := os.Mkdir(made, 0o755); err != nil {
		t.Fatal(err)
	}
	if second := identity(made); second == first || second.String() == first.String() {
		t.Errorf("%v is taken for the folder that was there before", second)
	}
}

// TestIdentityWithoutNumbers: the path stands for the folder, and nothing is said of what is in its place later.
func TestIdentityWithoutNumbers(t *testing.T) {
	fsys := fstest.MapFS{"a/x": {}, "b/x": {}}
	a, _ := fs.Stat(fsys, "a")
	b, _ := fs.Stat(fsys, "b")
	if layout.IdentityOf("a", a) == layout.IdentityOf("b", b) {
		t.Error("folders at different paths are taken for one")
	}
	if text := layout.IdentityOf("a", a).String(); text != "" {
		t.Errorf("%q", text)
	}
}
