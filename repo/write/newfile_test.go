package write_test

import (
	"errors"
	"io"
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
	onlyFile(t, file)
	link := filepath.Join(dir, "2", "link")
	check(t, os.Symlink("nowhere", link))
	if err := write.NewFile(link, nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over a link: %v", err)
	}
	check(t, os.Remove(link))
	second := filepath.Join(dir, "2", "labels.txt")
	check(t, write.NewFile(second, []byte("second")))
	wantContent(t, second, "second")
	wantContent(t, file, "first")
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

// TestNewFileWaitsNowhere: in a folder that is there a file is made without the places where others wait.
func TestNewFileWaitsNowhere(t *testing.T) {
	dir := t.TempDir()
	hold := func(string) (io.Closer, error) { return nil, errors.New("it waits") }
	waiting := write.Waiting{Places: []string{t.TempDir()}, Hold: hold}
	check(t, waiting.NewFile(filepath.Join(dir, "labels.txt"), []byte("x")))
	if err := waiting.NewFile(filepath.Join(dir, "more", "labels.txt"), []byte("x")); err == nil {
		t.Error("a folder that is missing did not wait for its file")
	}
	gone := filepath.Join(dir, "labels.txt", "x")
	wantWords(t, waiting.NewFile(gone, nil), "cannot create "+gone, "a file, not a folder")
}
