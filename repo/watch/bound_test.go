//go:build unix

package watch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
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

// TestWalkEndsWithItsContext in the midst of a tree.
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
