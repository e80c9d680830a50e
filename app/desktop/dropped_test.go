package desktop

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
)

// read asks the window for an address, as the page does.
func read(h http.Handler, address string) (status int, body string) {
	recorder := httptest.NewRecorder()
	h.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, address, http.NoBody))
	return recorder.Code, recorder.Body.String()
}

// write makes a file in a folder.
func write(t *testing.T, path string) string {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = os.WriteFile(path, []byte(filepath.Base(path)), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestDropped says that the page reads the files of the newest drop, and no other file.
func TestDropped(t *testing.T) {
	dir := t.TempDir()
	model, other := write(t, filepath.Join(dir, "model.onnx")), write(t, filepath.Join(dir, "other.onnx"))
	large := write(t, filepath.Join(dir, "large.onnx"))
	if err := os.Truncate(large, maxDroppedBytes+1); err != nil {
		t.Fatal(err)
	}
	d := newDropped()
	h := mount(http.NotFoundHandler(), d, slog.New(slog.DiscardHandler))(http.NotFoundHandler())
	d.take([]string{model, filepath.Join(dir, "gone"), large})
	list := d.newest()
	if len(list) != 3 || list[0].Path != "model.onnx" || list[1].Address != "" || list[2].Address != "" {
		t.Fatalf("dropped %+v", list)
	}
	if status, body := read(h, list[0].Address); status != http.StatusOK || body != "model.onnx" {
		t.Errorf("%d %q", status, body)
	}
	for _, address := range []string{"/dropped/1/1", "/dropped/1/2", "/dropped/1/3", "/dropped/1/-1", "/dropped/0/0", "/dropped/1/../../etc/passwd", "/dropped//etc/passwd", "/dropped/"} {
		if status, body := read(h, address); status != http.StatusNotFound {
			t.Errorf("%s: %d %q", address, status, body)
		}
	}
	d.take([]string{other})
	if status, _ := read(h, list[0].Address); status != http.StatusNotFound {
		t.Errorf("a file of an earlier drop: %d", status)
	}
	if list := d.newest(); len(list) != 1 || list[0].Path != "other.onnx" {
		t.Errorf("dropped %+v", list)
	}
}

// TestDroppedFolder says that a folder brings its files and no file that a link in it leads to, or none at all.
func TestDroppedFolder(t *testing.T) {
	dir := t.TempDir()
	secret := write(t, filepath.Join(dir, "secret"))
	folder := filepath.Join(dir, "sums")
	write(t, filepath.Join(folder, "1", "model.onnx"))
	write(t, filepath.Join(folder, "config.pbtxt"))
	if err := os.Symlink(secret, filepath.Join(folder, "link")); err != nil {
		t.Fatal(err)
	}
	d := newDropped()
	d.take([]string{folder})
	var paths []string
	for _, file := range d.newest() {
		paths = append(paths, file.Path)
	}
	if want := []string{"sums/1/model.onnx", "sums/config.pbtxt"}; !slices.Equal(paths, want) {
		t.Errorf("dropped %q, want %q", paths, want)
	}
	for i := range maxDropped {
		write(t, filepath.Join(folder, "assets", strconv.Itoa(i)))
	}
	d.take([]string{folder})
	if list := d.newest(); len(list) != 1 || list[0].Path != "sums" || list[0].Address != "" {
		t.Errorf("dropped %+v", list)
	}
}

// TestNothingDropped says that a question without a drop ends.
func TestNothingDropped(t *testing.T) {
	if list := newDropped().newest(); list != nil {
		t.Errorf("dropped %+v", list)
	}
}
