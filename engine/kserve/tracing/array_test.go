package tracing

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

// A trace that cannot be written whole, on a full disk for example, leaves no part of itself behind.
func TestBrokenWriteLeavesTheFileAsItWas(t *testing.T) {
	open, err := os.Create(filepath.Join(t.TempDir(), "trace.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	a := &array{open: open}
	broken := func() io.Reader {
		return io.MultiReader(strings.NewReader(`{"id":`), iotest.ErrReader(errors.New("no space")))
	}
	for _, item := range []io.Reader{broken(), strings.NewReader(`{"id":1}`), broken(), strings.NewReader(`{"id":2}`), broken()} {
		_ = a.add(item)
	}
	if err := a.end(); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(open.Name()); err != nil || string(text) != `[{"id":1},{"id":2}]` {
		t.Errorf("%s, %v", text, err)
	}
}
