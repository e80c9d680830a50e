package trash_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"conch/repo/trash"
)

// TestAnotherDrive: what lies on another drive than the trash is copied there and back. CONCH_OTHER_DRIVE names a folder on such a
// drive. What is left in the trash is not looked at: Wine 8 removes no file in the way that Go asks for.
func TestAnotherDrive(t *testing.T) {
	other := os.Getenv("CONCH_OTHER_DRIVE")
	if other == "" {
		t.Skip("CONCH_OTHER_DRIVE names no folder on another drive than " + os.TempDir())
	}
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	temporary := func(on string) string {
		made, err := os.MkdirTemp(on, "")
		check(err)
		t.Cleanup(func() { _ = os.RemoveAll(made) })
		return made
	}
	dir, changed := filepath.Join(temporary(other), "my model"), time.Unix(1_000_000_000, 0)
	program := filepath.Join(dir, "1", "model.py")
	check(os.MkdirAll(filepath.Dir(program), 0o755))
	check(os.WriteFile(program, []byte("mine"), 0o600))
	check(os.Chtimes(program, changed, changed))
	whole := func(dir string) {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(dir, "1", "model.py"))
		if err != nil || string(text) != "mine" {
			t.Fatalf("the file is %q, %v", text, err)
		}
		if info, err := os.Stat(filepath.Join(dir, "1", "model.py")); err != nil || !info.ModTime().Equal(changed) {
			t.Errorf("the file has %v, %v", info, err)
		}
	}
	to := trash.Trash{Own: temporary("")}
	if where := to.For(dir); !where.Copied || where.Dir != to.Own {
		t.Errorf("it goes to %v", where)
	}
	item, err := to.Put(t.Context(), dir)
	check(err)
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is there: %v", err)
	}
	whole(item.In)
	check(item.Restore(t.Context()))
	whole(dir)
}
