package write_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"conch/repo/trash"
	"conch/repo/write"
)

// deletable is a model with a version, and a trash for it.
func deletable(t *testing.T) (model string, to trash.Trash) {
	t.Helper()
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	model = filepath.Join(t.TempDir(), "m")
	check(t, os.MkdirAll(filepath.Join(model, "1", "more"), 0o755))
	check(t, os.WriteFile(filepath.Join(model, "config.pbtxt"), []byte("config"), 0o644))
	check(t, os.WriteFile(filepath.Join(model, "1", "model.py"), []byte("program"), 0o644))
	check(t, os.WriteFile(filepath.Join(model, "1", "more", "words.txt"), []byte("words"), 0o644))
	return model, trash.Trash{Outside: filepath.Dir(model)}
}

// TestDelete: a file, a version and a model go with all that is in them, as it was said before, and come back.
func TestDelete(t *testing.T) {
	model, to := deletable(t)
	for path, want := range map[string]string{
		"config.pbtxt": "1 files, 6 bytes, []",
		"1":            "2 files, 12 bytes, [model.py more/words.txt]",
		".":            "3 files, 18 bytes, [1/model.py 1/more/words.txt config.pbtxt]",
	} {
		path := filepath.Join(model, path)
		r, err := write.LookAt(t.Context(), path, to)
		check(t, err)
		if got := fmt.Sprintf("%d files, %d bytes, %v", r.Count, r.Bytes, r.Files); got != want {
			t.Errorf("%s: %s", path, got)
		}
		item, err := write.Delete(t.Context(), path, to)
		check(t, err)
		wantGone(t, path)
		if filepath.Dir(filepath.Dir(item.In)) != r.To.Dir {
			t.Errorf("it went to %s, and %s was said", item.In, r.To.Dir)
		}
		_, err = write.Delete(t.Context(), path, to)
		wantWords(t, err, "cannot delete "+path, "it is not there any more")
		check(t, write.PutBack(t.Context(), item))
		wantWords(t, write.PutBack(t.Context(), item), "cannot put back "+path, "not in the trash any more")
	}
	wantContent(t, filepath.Join(model, "1", "more", "words.txt"), "words")
	wantContent(t, filepath.Join(model, "config.pbtxt"), "config")
}

// TestPutBackReplacesNothing: what has the name meanwhile stays, and so does what is in the trash.
func TestPutBackReplacesNothing(t *testing.T) {
	model, to := deletable(t)
	file := filepath.Join(model, "config.pbtxt")
	item, err := write.Delete(t.Context(), file, to)
	check(t, err)
	check(t, os.WriteFile(file, []byte("newer"), 0o644))
	wantWords(t, write.PutBack(t.Context(), item), "cannot put back "+file, "there again", item.In)
	wantContent(t, file, "newer")
	wantContent(t, item.In, "config")
}

// TestDeleteLink: a link goes, and not what it points to; a folder that holds one keeps out of it too.
func TestDeleteLink(t *testing.T) {
	model, to := deletable(t)
	elsewhere := t.TempDir()
	precious := filepath.Join(elsewhere, "weights.bin")
	check(t, os.WriteFile(precious, []byte("weights"), 0o644))
	for _, path := range []string{"2", "1/weights"} {
		link := filepath.Join(model, path)
		check(t, os.Symlink(elsewhere, link))
		r, err := write.LookAt(t.Context(), link, to)
		check(t, err)
		if r.Link != elsewhere || r.Bytes != 0 || r.Folder {
			t.Errorf("of a link is said %+v", r)
		}
	}
	for _, path := range []string{"2", "1"} {
		item, err := write.Delete(t.Context(), filepath.Join(model, path), to)
		check(t, err)
		wantGone(t, filepath.Join(model, path))
		wantContent(t, precious, "weights")
		check(t, write.PutBack(t.Context(), item))
	}
	wantContent(t, filepath.Join(model, "1", "weights", "weights.bin"), "weights")
}

// TestReadOnlyStays: a file that nobody may write keeps what it lies in, and so do folders.
func TestReadOnlyStays(t *testing.T) {
	model, to := deletable(t)
	for _, name := range []string{"1/model.py", "1/more"} {
		path := filepath.Join(model, name)
		check(t, os.Chmod(path, 0o555))
		for _, of := range []string{path, filepath.Join(model, "1"), model} {
			_, err := write.Delete(t.Context(), of, to)
			wantWords(t, err, "cannot delete "+path, "read-only", "chmod u+w")
			if !errors.Is(err, fs.ErrPermission) {
				t.Errorf("%v", err)
			}
		}
		check(t, os.Chmod(path, 0o755))
	}
	wantContent(t, filepath.Join(model, "1", "model.py"), "program")
}

// TestDeleteOfOthers: what belongs to another user stays, also in a folder that both may write in, and what lies in a folder
// of somebody else.
func TestDeleteOfOthers(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can become two people")
	}
	const alice, bob, team = 61_001, 61_002, 61_003
	base, err := os.MkdirTemp("/tmp", "conch-others-") // others get there
	check(t, err)
	defer os.RemoveAll(base)
	t.Setenv("XDG_DATA_HOME", filepath.Join(base, "data"))
	model := filepath.Join(base, "m")
	file, own := filepath.Join(model, "hers.txt"), filepath.Join(model, "his.txt")
	for _, dir := range []string{base, model, filepath.Join(base, "data")} {
		check(t, os.MkdirAll(dir, 0o777))
		check(t, os.Chmod(dir, 0o777))
	}
	for path, owner := range map[string]int{file: alice, own: bob, model: alice} {
		if path != model {
			check(t, os.WriteFile(path, []byte("x"), 0o644))
		}
		check(t, os.Chown(path, owner, team))
	}
	asBob := func(path string) error {
		done := make(chan error)
		go func() {
			runtime.LockOSThread() // the thread ends with this goroutine, so nobody else becomes bob
			if err := become(bob, team); err != nil {
				done <- err
				return
			}
			_, err := write.Delete(t.Context(), path, trash.Trash{Outside: "/"})
			done <- err
		}()
		return <-done
	}
	for _, path := range []string{file, model} {
		err := asBob(path)
		if err == nil || !strings.Contains(err.Error(), "it belongs to the user with the number 61001") {
			t.Errorf("%s: %v", path, err)
		}
	}
	check(t, os.Chmod(model, 0o755))
	wantWords(t, asBob(own), "cannot delete from "+model, "permission denied", "belongs to the user with the number 61001", "nothing was deleted")
	wantContent(t, own, "x")
	wantContent(t, file, "x")
	check(t, os.Chmod(model, 0o777))
	check(t, asBob(own))
	wantGone(t, own)
}
