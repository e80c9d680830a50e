package write_test

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"

	"conch/repo/write"
)

// watched are files that tell when they are read.
type watched struct {
	fs.FS
	read func()
}

func (w watched) Open(name string) (fs.File, error) {
	w.read()
	return w.FS.Open(name)
}

// holds are the folders that are marked as used.
type holds map[string]bool

func (h holds) hold(dir string) (io.Closer, error) {
	h[dir] = true
	return held{h, dir}, nil
}

type held struct {
	all holds
	dir string
}

func (h held) Close() error {
	delete(h.all, h.dir)
	return nil
}

// TestCopiesWaitOutside: while a version or a model is copied, the repository holds nothing of it, and the copy is marked as used. Afterwards nothing
// else is left.
func TestCopiesWaitOutside(t *testing.T) {
	root, place := t.TempDir(), t.TempDir()
	model := filepath.Join(root, "m")
	if err := os.MkdirAll(filepath.Join(model, "1"), 0o755); err != nil {
		t.Fatal(err)
	}
	marked := holds{}
	wait := write.Waiting{Places: []string{filepath.Join(place, "gone"), place}, Hold: marked.hold}
	reads := 0
	files := watched{fstest.MapFS{"model.onnx": {Data: []byte("x")}}, func() {
		reads++
		for _, dir := range []string{root, model} {
			for _, name := range entries(t, dir) {
				if !slices.Contains([]string{"m", "1", "2"}, name) {
					t.Errorf("%s holds %s", dir, name)
				}
			}
		}
		if len(marked) != 1 {
			t.Errorf("%d copies are marked", len(marked))
		}
	}}
	version, err := wait.NewVersion(model, 2, files)
	if err != nil {
		t.Fatal(err)
	}
	wantContent(t, filepath.Join(version, "model.onnx"), "x")
	made, err := wait.NewModelOf(root, "n", []byte("name: \"n\"\n"), files, map[string][]byte{"labels.txt": []byte("a")})
	if err != nil {
		t.Fatal(err)
	}
	wantContent(t, filepath.Join(made, "1", "model.onnx"), "x")
	wantContent(t, filepath.Join(made, "labels.txt"), "a")
	if reads == 0 || len(marked) != 0 || len(entries(t, place)) != 0 || len(entries(t, root)) != 2 || len(entries(t, model)) != 2 {
		t.Errorf("%d reads; left: %d marks, %q, %q, %q", reads, len(marked), entries(t, place), entries(t, root), entries(t, model))
	}
}

func entries(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range list {
		names = append(names, entry.Name())
	}
	return names
}

// TestClearHolds: what is cleared is held until it is gone, so that nobody puts something in it meanwhile.
func TestClearHolds(t *testing.T) {
	place := t.TempDir()
	dir := filepath.Join(place, ".conch-upload-1.tmp")
	check(t, os.Mkdir(dir, 0o777))
	closed := false
	check(t, write.ClearStages(place, func(string) (io.Closer, error) {
		return closer(func() error {
			closed = true
			wantGone(t, dir)
			return nil
		}), nil
	}))
	if !closed {
		t.Error("it was not held")
	}
}

type closer func() error

func (c closer) Close() error { return c() }
