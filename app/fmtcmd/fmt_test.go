package fmtcmd_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"conch/app/fmtcmd"
)

const untidy = "name:\"m\"\n# kept\nmax_batch_size:8\n"

func repository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for path, content := range map[string]string{
		"m/config.pbtxt": untidy, "m/configs/small.pbtxt": untidy, "m/other.pbtxt": untidy,
		"neat/config.pbtxt": "max_batch_size: 8\n", "broken/config.pbtxt": "input {\n",
	} {
		at := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestList(t *testing.T) {
	dir := repository(t)
	var out bytes.Buffer
	changed, err := fmtcmd.Run([]string{dir}, fmtcmd.Options{List: true}, &out)
	if changed != 2 || err == nil || !strings.Contains(err.Error(), "broken/config.pbtxt") {
		t.Errorf("%d changed, %v", changed, err)
	}
	want := dir + "/m/config.pbtxt\n" + dir + "/m/configs/small.pbtxt\n"
	if d := cmp.Diff(want, out.String()); d != "" {
		t.Error(d)
	}
}

func TestDiff(t *testing.T) {
	file := repository(t) + "/m/config.pbtxt"
	var out bytes.Buffer
	if _, err := fmtcmd.Run([]string{file}, fmtcmd.Options{Diff: true}, &out); err != nil {
		t.Fatal(err)
	}
	want := "--- F\n+++ F (formatted)\n@@ -1,3 +1,3 @@\n-name:\"m\"\n+name: \"m\"\n # kept\n-max_batch_size:8\n+max_batch_size: 8\n"
	if d := cmp.Diff(want, strings.ReplaceAll(out.String(), file, "F")); d != "" {
		t.Error(d)
	}
}

// TestDiffOfTheEnd: in a file whose last line has no line break, only that line break changes.
func TestDiffOfTheEnd(t *testing.T) {
	file := t.TempDir() + "/config.pbtxt"
	if err := os.WriteFile(file, []byte("name: \"m\""), 0o644); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := fmtcmd.Run([]string{file}, fmtcmd.Options{Diff: true}, &out); err != nil {
		t.Fatal(err)
	}
	want := "--- F\n+++ F (formatted)\n@@ -1 +1 @@\n-name: \"m\"\n\\ No newline at end of file\n+name: \"m\"\n"
	if d := cmp.Diff(want, strings.ReplaceAll(out.String(), file, "F")); d != "" {
		t.Error(d)
	}
}

func TestWrite(t *testing.T) {
	dir := repository(t)
	if _, err := fmtcmd.Run([]string{dir + "/m"}, fmtcmd.Options{Write: true}, &bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(dir + "/m/config.pbtxt")
	if err != nil || string(got) != "name: \"m\"\n# kept\nmax_batch_size: 8\n" {
		t.Errorf("%q, %v", got, err)
	}
	changed, err := fmtcmd.Run([]string{dir + "/m"}, fmtcmd.Options{List: true}, &bytes.Buffer{})
	if changed != 0 || err != nil {
		t.Errorf("after writing, %d change, %v", changed, err)
	}
}

func TestPrint(t *testing.T) {
	var out bytes.Buffer
	if _, err := fmtcmd.Run([]string{repository(t) + "/m/other.pbtxt"}, fmtcmd.Options{}, &out); err != nil || !strings.HasPrefix(out.String(), "name: \"m\"\n") {
		t.Errorf("%q, %v", out.String(), err)
	}
}
