//go:build unix

package watch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"conch/repo/layout"
)

// TestWalkEntersFoldersOnce: links^folders paths are as many folders as there are.
func TestWalkEntersFoldersOnce(t *testing.T) {
	const folders, links = 9, 80
	root := t.TempDir()
	for _, model := range []string{"a", "b"} {
		for i := range folders {
			dir := filepath.Join(root, model, fmt.Sprint(i))
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			for j := range links {
				if err := os.Symlink(fmt.Sprint("../", (i+1)%folders), filepath.Join(dir, fmt.Sprint("l", j))); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if err := os.Symlink("a", filepath.Join(root, "c")); err != nil {
		t.Fatal(err)
	}
	visits := map[string]int{}
	newWalker(t.Context()).walk(root, func(f found) bool {
		rel, _ := filepath.Rel(root, f.path)
		visits[rel[:1]]++
		return true
	})
	for _, model := range []string{"a", "b", "c"} { // c is another name of a, and a model as well
		if n := visits[model]; n < folders*links || n > folders*(links+1)+1 {
			t.Errorf("%s: %d visits", model, n)
		}
	}
}

// TestLinkToALargeTreeIsNotWatched: what is behind a link to too much is not watched, and what a model is made of is.
func TestLinkToALargeTreeIsNotWatched(t *testing.T) {
	root, large := t.TempDir(), t.TempDir()
	put(t, large, "d0/x", "x")
	put(t, large, "1/assets/vocab.txt", "x")
	for i := range layout.MaxLinked {
		check(t, os.Link(filepath.Join(large, "d0/x"), filepath.Join(large, fmt.Sprint("x", i))))
	}
	put(t, root, "m/1/model.onnx", "x")
	put(t, root, "n/1/model.onnx", "x")
	put(t, root, "small/vocab.txt", "x")
	for link, target := range map[string]string{"m/1/large": large, "n/2": large, "linked": large, "m/1/small": filepath.Join(root, "small")} {
		check(t, os.Symlink(target, filepath.Join(root, link)))
	}
	w := &exhausted{left: 1000}
	f := newFolders(t.Context(), w, root)
	f.enter(root, nil)
	link := filepath.Join(root, "m/1/large")
	f.leave(link)
	f.enter(link, nil) // as when it has just been made
	made := filepath.Join(root, "linked", "d0")
	f.leave(made)
	f.enter(made, nil)
	for path, want := range map[string]bool{
		"m/1": true, "m/1/large": false, "m/1/small": true, "n/2": true, "n/2/1": false, "n/2/d0": false,
		"linked": true, "linked/1/assets": true, "linked/d0": false,
	} {
		if got := f.watched(filepath.Join(root, path)); got != want {
			t.Errorf("%s is watched: %v", path, got)
		}
	}
	if f.err != nil {
		t.Error(f.err)
	}
	check(t, os.Remove(link))
	check(t, os.Symlink(filepath.Join(root, "small"), link))
	if moved := f.moved(); len(moved) != 1 || moved[0] != link {
		t.Errorf("a link that leads elsewhere now: %v", moved)
	}
}

// TestWalkEndsWithItsContext in the middle of a tree.
func TestWalkEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	visits := 0
	newWalker(ctx).walk("/", func(found) bool {
		if visits++; visits == 1000 {
			cancel()
		}
		return true
	})
	// What was listed before is still visited, but nothing more is read.
	if visits < 1000 || visits > 20_000 {
		t.Errorf("%d visits", visits)
	}
}
