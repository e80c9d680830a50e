package write_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/repo/write"
)

// TestNewFile: a new file comes with the folders on its way, and takes the place of nothing.
func TestNewFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "2", "model.py")
	check(t, write.NewFile(file, []byte("first")))
	for _, taken := range []string{file, filepath.Join(dir, "2")} {
		if err := write.NewFile(taken, []byte("first")); !errors.Is(err, fs.ErrExist) {
			t.Errorf("over %s: %v", taken, err)
		}
		if err := write.NewFolder(taken); !errors.Is(err, fs.ErrExist) {
			t.Errorf("a folder over %s: %v", taken, err)
		}
	}
	wantContent(t, file, "first")
	onlyFile(t, filepath.Dir(file))
	folder := filepath.Join(t.TempDir(), "3")
	check(t, write.NewFolder(folder))
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		t.Errorf("%v, %v", info, err)
	}
}

// TestCheckPath: names that lead elsewhere, that are not read as they are, or that Conch does not list are no new files.
func TestCheckPath(t *testing.T) {
	for _, rel := range []string{"labels.txt", "1/model.py", "2/model.savedmodel/saved_model.pb", ".env", "a b.txt"} {
		if err := write.CheckPath(rel, false); err != nil {
			t.Error(err)
		}
	}
	for _, rel := range []string{
		"", "/", "1/", "/etc/passwd", "../x", "1/../x", "./x", "1//x", `1\x`, "C:x", "a\nb", "\xff", "a\u202egnp", strings.Repeat("n", 256),
		strings.Repeat("a/", 40) + "x", "__pycache__/x.py", ".git/config", "model.py~", "x.tmp", ".conch-x.tmp",
		"2 ", "model.py ", " config.pbtxt", "a.", "1 /model.py", "a./b", "1/a\u00a0", "\tx",
	} {
		if err := write.CheckPath(rel, false); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("CheckPath(%q) = %v", rel, err)
		}
	}
	if err := write.CheckPath("x.tmp", true); err != nil {
		t.Errorf("a folder may be called so: %v", err)
	}
}

// TestBring: files arrive whole under their names, all or none.
func TestBring(t *testing.T) {
	from, dir := t.TempDir(), filepath.Join(t.TempDir(), "1")
	files := map[string]string{}
	for _, name := range []string{"a.bin", "b.bin"} {
		files[name] = filepath.Join(from, name)
		check(t, os.WriteFile(files[name], []byte(name), 0o600))
	}
	check(t, write.Bring(dir, files))
	wantContent(t, filepath.Join(dir, "a.bin"), "a.bin")
	wantContent(t, filepath.Join(dir, "b.bin"), "b.bin")
	wantContent(t, files["a.bin"], "a.bin")
	names := func() int {
		entries, err := os.ReadDir(dir)
		check(t, err)
		return len(entries)
	}
	if names() != 2 {
		t.Errorf("%d entries", names())
	}
	check(t, os.WriteFile(files["a.bin"], []byte("other"), 0o600))
	if err := write.Bring(dir, map[string]string{"a.bin": files["a.bin"], "c.bin": files["b.bin"]}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over a file: %v", err)
	}
	wantContent(t, filepath.Join(dir, "a.bin"), "a.bin")
	err := write.Bring(dir, map[string]string{"c.bin": files["b.bin"], "d.bin": filepath.Join(from, "gone")})
	wantWords(t, err, "d.bin")
	if names() != 2 {
		t.Errorf("a part of them stayed: %d entries", names())
	}
}
