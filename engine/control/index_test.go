package control_test

import (
	"os"
	"path/filepath"
	"testing"

	"conch/engine/control"
)

// The index has each folder that is there now, as Triton's: also those without a config and a version, and those that came
// after the last look, but no folder that went away.
func TestIndexIsOfTheFoldersThatAreThere(t *testing.T) {
	b := start(t, control.Options{Mode: control.Explicit}, func(b *bench) {
		b.add(t, "a", "one")
		b.add(t, "b", "one")
	})
	root := b.dir.Roots[0]
	for _, name := range []string{"bare", "new", ".hidden"} {
		if err := os.MkdirAll(filepath.Join(root, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(root, "b")); err != nil {
		t.Fatal(err)
	}
	b.wantIndex(t, ".hidden, a, bare, new")
}
