//go:build linux

package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/fsnotify/fsnotify"
)

// TestLinksMadeOneByOne: links to few folders, made while the repository is watched, are as many names as there are links.
func TestLinksMadeOneByOne(t *testing.T) {
	const count, links = 9, 80
	root := t.TempDir()
	put(t, root, "m/1/model.onnx", "x")
	n := &notifier{roots: []string{root}, folders: newFolders(t.Context(), &exhausted{left: 1000}, root)}
	n.folders.enter(root, nil)
	made := func(path string) {
		t.Helper()
		n.digest(batch{events: []fsnotify.Event{{Name: filepath.Join(root, path), Op: fsnotify.Create}}})
	}
	check(t, os.Symlink(".", filepath.Join(root, "self")))
	made("self")
	for i := range count {
		dir := fmt.Sprint("m/1/d", i)
		check(t, os.Mkdir(filepath.Join(root, dir), 0o755))
		made(dir)
		for j := range links {
			link := fmt.Sprint(dir, "/l", j)
			check(t, os.Symlink(fmt.Sprint("../d", (i+1)%count), filepath.Join(root, link)))
			made(link)
		}
	}
	n.look() // those that led to nothing at first lead to folders now
	if got := len(n.folders.ids); got < count*links || got > count*(links+1)+3 {
		t.Errorf("%d names of folders", got)
	}
}

// TestNameGoes: a folder that has lost the name under which it was entered is entered under another one.
func TestNameGoes(t *testing.T) {
	root, store := t.TempDir(), t.TempDir()
	put(t, store, "deep/vocab.txt", "x")
	put(t, root, "m/1/model.onnx", "x")
	for _, link := range []string{"a", "b"} {
		check(t, os.Symlink(store, filepath.Join(root, "m/1", link)))
	}
	n := &notifier{roots: []string{root}, folders: newFolders(t.Context(), &exhausted{left: 1000}, root)}
	n.folders.enter(root, nil)
	gone := filepath.Join(root, "m/1/a")
	check(t, os.Remove(gone))
	n.digest(batch{events: []fsnotify.Event{{Name: gone, Op: fsnotify.Remove}}})
	if n.folders.watched(filepath.Join(gone, "deep")) || !n.folders.watched(filepath.Join(root, "m/1/b/deep")) {
		t.Errorf("watched: %v", n.folders.ids)
	}
}
