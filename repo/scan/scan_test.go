//go:build unix

package scan_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"conch/repo/scan"
)

// TestPipeAsConfig: opening a pipe would wait for a writer for ever.
func TestPipeAsConfig(t *testing.T) {
	top := t.TempDir()
	check(t, os.MkdirAll(filepath.Join(top, "m", "1"), 0o755))
	check(t, syscall.Mkfifo(filepath.Join(top, "m", "config.pbtxt"), 0o644))
	m := scan.New(top).Scan(nil).Model("m")
	if m == nil || m.ConfigErr == nil || !strings.Contains(m.ConfigErr.Error(), "it is a named pipe, not a file") {
		t.Fatalf("model = %+v", m)
	}
}

// TestInvalidName: a folder whose name no protobuf string can hold is a model as any other, under a name that is text.
func TestInvalidName(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "caf\xe9")
	check(t, os.MkdirAll(filepath.Join(dir, "1", "\xff"), 0o755))
	check(t, os.WriteFile(filepath.Join(dir, "1", "\xff", "model.onnx"), nil, 0o644))
	x := scan.New(top).Scan(nil)
	m := x.Model(`caf\xe9`)
	if m == nil || m.Dir != dir || len(m.Versions) != 1 || !m.Versions[0].Has("\xff/model.onnx") || len(m.Problems) > 0 {
		t.Fatalf("model = %+v, strays = %+v", m, x.Strays)
	}
}

// TestIsNote: a file for people is a note until a config, or one of its variants, names it.
func TestIsNote(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "m")
	check(t, os.MkdirAll(filepath.Join(dir, "configs"), 0o755))
	check(t, os.WriteFile(filepath.Join(dir, "config.pbtxt"), []byte(`output { label_filename: "notes.txt" }`), 0o644))
	check(t, os.WriteFile(filepath.Join(dir, "configs", "cpu.pbtxt"), []byte(`output { label_filename: "todo.txt" }`), 0o644))
	m := scan.New(top).Scan(nil).Model("m")
	for rel, want := range map[string]bool{"README.md": true, "notes.txt": false, "todo.txt": false, "labels.txt": false, "1/README.md": false} {
		if got := m.IsNote(rel); got != want {
			t.Errorf("IsNote(%q) = %v", rel, got)
		}
	}
}

// TestLookups covers the ways to ask an Index and a Model.
func TestLookups(t *testing.T) {
	top := t.TempDir()
	check(t, os.MkdirAll(filepath.Join(top, "m", "3", "model.savedmodel"), 0o755))
	check(t, os.MkdirAll(filepath.Join(top, "m", "configs"), 0o755))
	check(t, os.WriteFile(filepath.Join(top, "m", "configs", "cpu.pbtxt"), nil, 0o644))
	check(t, os.WriteFile(filepath.Join(top, "m", "labels.txt"), nil, 0o644))
	x := scan.New(top, top).Scan(nil)
	if len(x.Roots) != 1 || x.Roots[0].ReadOnly {
		t.Errorf("roots = %+v", x.Roots)
	}
	m := x.Model("m")
	if m == nil || x.Model("n") != nil || x.Duplicate("m") {
		t.Fatal("Model is wrong")
	}
	v, ok := m.Version(3)
	if !ok || !v.Has("model.savedmodel") || v.Has("model.onnx") {
		t.Errorf("version 3 = %+v, %v", v, ok)
	}
	if _, ok := m.Version(1); ok {
		t.Error("version 1 found")
	}
	if _, ok := m.File("labels.txt"); !ok {
		t.Error("labels.txt not found")
	}
	if _, ok := m.Variant("cpu"); !ok {
		t.Error("variant cpu not found")
	}
}
