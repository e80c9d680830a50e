package write_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"conch/repo/write"
)

// TestMove: a file gets another path with the folders on its way, takes the place of nothing, and stays where it was after an error.
func TestMove(t *testing.T) {
	dir := t.TempDir()
	in := func(rel string) string { return filepath.Join(dir, filepath.FromSlash(rel)) }
	check(t, os.WriteFile(in("model.onnx"), []byte("model"), 0o600))
	check(t, write.Move(in("model.onnx"), in("1/more/net.onnx")))
	wantContent(t, in("1/more/net.onnx"), "model")
	if _, err := os.Lstat(in("model.onnx")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("where it was: %v", err)
	}
	check(t, os.WriteFile(in("taken"), []byte("taken"), 0o600))
	for to, want := range map[string]error{"taken": fs.ErrExist, "1/more": fs.ErrExist, "1/more/net.onnx/x": syscall.ENOTDIR} {
		if err := write.Move(in("1/more/net.onnx"), in(to)); !errors.Is(err, want) {
			t.Errorf("to %s: %v", to, err)
		}
	}
	check(t, os.Link(in("taken"), in("second")))
	if err := write.Move(in("second"), in("taken")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over the same file under another name: %v", err)
	}
	check(t, os.Symlink("taken", in("link")))
	if err := write.Move(in("link"), in("2/link")); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("a link that would lead elsewhere: %v", err)
	}
	for from, want := range map[string]error{"gone": fs.ErrNotExist} {
		if err := write.Move(in(from), in("3/4/new")); !errors.Is(err, want) {
			t.Errorf("%s: %v", from, err)
		}
	}
	for _, made := range []string{"2", "3"} {
		if _, err := os.Lstat(in(made)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is there: %v", made, err)
		}
	}
	wantContent(t, in("1/more/net.onnx"), "model")
	wantContent(t, in("taken"), "taken")
	check(t, write.Move(in("link"), in("link2")))
	for to, want := range map[string]error{"1/more/1": fs.ErrInvalid, "taken": fs.ErrExist} {
		if err := write.Move(in("1"), in(to)); !errors.Is(err, want) {
			t.Errorf("a folder to %s: %v", to, err)
		}
	}
	check(t, write.Move(in("1"), in("3/2")))
	wantContent(t, in("3/2/more/net.onnx"), "model")
}
