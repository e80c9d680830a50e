package checkcmd_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"conch/app/checkcmd"
)

// A file whose name is not UTF-8 is reported in every format, and each format stays valid.
func TestNamesThatAreNotUTF8(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "caf\xe9")
	if err := os.MkdirAll(filepath.Join(dir, "1"), 0o755); err != nil {
		t.Skipf("this file system takes no such names: %v", err)
	}
	config := "backend: \"onnxruntime\"\nmax_batch_sise: 4\noutput [ { name: \"o\" data_type: TYPE_FP32 dims: [ 1 ] label_filename: \"l\\351.txt\" } ]\n"
	if err := os.WriteFile(filepath.Join(dir, "config.pbtxt"), []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nowhere\xff", filepath.Join(dir, "1", "lost\xff")); err != nil {
		t.Fatal(err)
	}
	for format, want := range map[checkcmd.Format]string{
		checkcmd.FormatText: `caf\xe9/config.pbtxt`, checkcmd.FormatJSON: `caf\\xe9/config.pbtxt`,
		checkcmd.FormatSARIF: `caf%E9/config.pbtxt`, checkcmd.FormatGitHub: `caf\xe9/config.pbtxt`,
	} {
		var out bytes.Buffer
		if status := checkcmd.Run(t.Context(), []string{root}, checkcmd.Options{Format: format}, &out); status != 1 {
			t.Errorf("%s: status %d\n%s", format, status, &out)
		}
		if !utf8.Valid(out.Bytes()) || !strings.Contains(out.String(), want) || strings.Contains(out.String(), "\uFFFD") {
			t.Errorf("%s lacks %s:\n%s", format, want, &out)
		}
		if json := json.Valid(out.Bytes()); json != (format == checkcmd.FormatJSON || format == checkcmd.FormatSARIF) {
			t.Errorf("%s: is JSON: %v", format, json)
		}
	}
	var out bytes.Buffer
	checkcmd.Run(t.Context(), []string{root}, checkcmd.Options{Mend: checkcmd.MendSafe, Errors: &out}, &out)
	if text, _ := os.ReadFile(filepath.Join(dir, "config.pbtxt")); !strings.Contains(string(text), "max_batch_size: 4") {
		t.Errorf("it was not mended: %s\n%s", text, &out)
	}
}
