package layout_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/repo/layout"
)

// links is a small repository with links of every kind in it; secret lies
// beside it.
func links(t testing.TB) (root, secret string) {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root, secret = filepath.Join(top, "repo"), filepath.Join(top, "secret")
	must(t, os.MkdirAll(filepath.Join(root, "m", "1"), 0o755))
	must(t, os.Mkdir(secret, 0o755))
	must(t, os.WriteFile(filepath.Join(secret, "key"), []byte("key"), 0o600))
	must(t, os.WriteFile(filepath.Join(root, "m", "config.pbtxt"), nil, 0o644))
	for link, target := range map[string]string{
		"good":       "m",
		"abs":        filepath.Join(root, "m"),
		"out":        secret,
		"climb":      "../secret",
		"gone":       "../secret/new",
		"loop":       "loop",
		"around":     "../repo/m",
		"m/in.pbtxt": "config.pbtxt",
	} {
		must(t, os.Symlink(target, filepath.Join(root, link)))
	}
	return root, secret
}

func TestInside(t *testing.T) {
	root, _ := links(t)
	for rel, want := range map[string]string{
		"":                  "",
		".":                 "",
		"m/config.pbtxt":    "m/config.pbtxt",
		"m/../m/1":          "m/1",
		"m/new/file":        "m/new/file",
		"good/config.pbtxt": "m/config.pbtxt",
		"abs/1/x":           "m/1/x",
		"around/1":          "m/1",
		"m/in.pbtxt":        "m/config.pbtxt",
	} {
		got, err := layout.Inside(root, rel)
		if err != nil || got != filepath.Join(root, filepath.FromSlash(want)) {
			t.Errorf("Inside(%q) = %q, %v", rel, got, err)
		}
	}
	for _, rel := range []string{"..", "../secret/key", "/etc/passwd", "m/../../secret", "out", "out/key", "climb/key", "gone", "a\x00b"} {
		if got, err := layout.Inside(root, rel); !errors.Is(err, layout.ErrOutside) {
			t.Errorf("Inside(%q) = %q, %v; want it refused", rel, got, err)
		}
	}
	if got, err := layout.Inside(root, "loop/x"); err == nil {
		t.Errorf("Inside(loop) = %q", got)
	}
	if _, err := layout.Inside(filepath.Join(root, "nothing"), "x"); err == nil {
		t.Error("a root that does not exist was accepted")
	}
}

func TestInsideThroughLinkedRoot(t *testing.T) {
	root, _ := links(t)
	alias := filepath.Join(t.TempDir(), "alias")
	must(t, os.Symlink(root, alias))
	got, err := layout.Inside(alias, "m/config.pbtxt")
	if err != nil || got != filepath.Join(root, "m", "config.pbtxt") {
		t.Errorf("Inside through a link = %q, %v", got, err)
	}
}

// FuzzInside asks the operating system: whatever Inside returns must really
// lie in the root.
func FuzzInside(f *testing.F) {
	for _, seed := range []string{"m/config.pbtxt", "../secret/key", "good/../out/key", "climb/./key", "/", "m//1", "around/../../secret/key", "m/1/..\\..\\x", "C:x", "loop", "\xff"} {
		f.Add(seed)
	}
	root, secret := links(f)
	f.Fuzz(func(t *testing.T, rel string) {
		got, err := layout.Inside(root, rel)
		if err != nil {
			return
		}
		if real, err := filepath.EvalSymlinks(got); err == nil && real != got {
			t.Errorf("Inside(%q) = %q, which is still a link to %q", rel, got, real)
		}
		if !strings.HasPrefix(got+"/", root+"/") || strings.HasPrefix(got, secret) {
			t.Errorf("Inside(%q) = %q, outside %q", rel, got, root)
		}
	})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
