package tracing

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
)

// Traces that are on the disk stay there when the file without a number does not take them.
func TestTracesThatCannotBeMovedStay(t *testing.T) {
	dir := t.TempDir()
	f := &file{path: filepath.Join(dir, "traces.json"), log: slog.New(slog.DiscardHandler)}
	p := f.begin()
	p.add([]byte(`{"id":1}`))
	if err := os.Mkdir(f.path, 0o700); err != nil { // the file cannot be made
		t.Fatal(err)
	}
	p.join()
	if text, err := os.ReadFile(p.path + unfinished); err != nil || string(text) != `[{"id":1}` {
		t.Errorf("the traces are %q (%v)", text, err)
	}
	if err := os.Remove(f.path); err != nil {
		t.Fatal(err)
	}
	p.join()
	if text, err := os.ReadFile(f.path); err != nil || string(text) != `[{"id":1}` {
		t.Errorf("the file has %q (%v)", text, err)
	}
	if _, err := os.Stat(p.path + unfinished); !os.IsNotExist(err) {
		t.Errorf("the traces are in two files: %v", err)
	}
}
