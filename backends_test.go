package main

import (
	"bytes"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"conch/engine/backend/python"
)

// A folder that --backend-directory names and that is not there is told. Without the flag there may be none.
func TestFolderOfBackendsThatIsNotThere(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	missing := filepath.Join(t.TempDir(), "missing")
	for dir, want := range map[string]string{missing: missing, "": ""} {
		var out bytes.Buffer
		based(python.New(python.Options{Dir: t.TempDir()}), dir, slog.New(slog.NewTextHandler(&out, nil)))
		if text := out.String(); (text != "") != (want != "") || !strings.Contains(text, want) {
			t.Errorf("%q: the log says %q", dir, text)
		}
	}
}
