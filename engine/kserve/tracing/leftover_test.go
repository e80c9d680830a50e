package tracing_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"conch/engine/filelock"
	"conch/engine/kserve/tracing"
)

// numbered writes three traces to each numbered file.
func numbered(path string) tracing.Setting {
	return tracing.Setting{Level: tracing.Timestamps, Rate: 1, Count: -1, LogFrequency: 3, File: path}
}

// text returns a file, which need not be complete.
func text(t *testing.T, path string) string {
	t.Helper()
	all, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
	}
	return string(all)
}

// What a killed server left is completed at the next start: whole traces stay, a half one is cut off.
func TestLeftoversAreCompleted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.json")
	for name, left := range map[string]string{
		".0.part": `[{"id":1},{"id":2}`, ".1.part": `[{"id":1},{"id":2},{"id`, ".2.part": `[{"i`, ".3.part": "",
		".old.part": "[", ".0": "older", ".part": "[",
	} {
		if err := os.WriteFile(path+name, []byte(left), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tracer := tracing.New(numbered(path), discard, always)
	for name, want := range map[string]string{".0": `[{"id":1},{"id":2}]`, ".1": `[{"id":1},{"id":2}]`, ".old.part": "[", ".part": "["} {
		if got := text(t, path+name); got != want {
			t.Errorf("%s has %q, want %q", name, got, want)
		}
	}
	tracer.Close()
	if files, _ := filepath.Glob(path + "*"); len(files) != 4 {
		t.Errorf("there are %q", files)
	}
}

// The files that another server still writes stay as they are, and nothing is written into them.
func TestFilesOfAnotherServerStay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.json")
	first := tracing.New(numbered(path), discard, always)
	run(t, first, "a")
	before := text(t, path+".0.part")
	second := tracing.New(numbered(path), discard, always)
	run(t, second, "b")
	if after := text(t, path+".0.part"); after != before {
		t.Errorf("the file of the first server is %q now", after)
	}
	first.Close()
	second.Close()
	for _, name := range []string{".0", ".1"} {
		if got := text(t, path+name); !json.Valid([]byte(got)) {
			t.Errorf("%s has %q", name, got)
		}
	}
	if left, _ := filepath.Glob(path + ".*[a-z]"); len(left) > 0 {
		t.Errorf("left %q", left)
	}
}

// While another server has the lock, no leftovers are touched.
func TestLockedLeftoversStay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.json")
	lock, err := os.Create(path + ".lock")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Close() }()
	if taken, err := filelock.Try(lock); taken || err != nil {
		t.Fatal(taken, err)
	}
	if err := os.WriteFile(path+".0.part", []byte("[1"), 0o600); err != nil {
		t.Fatal(err)
	}
	tracing.New(numbered(path), discard, always).Close()
	if got := text(t, path+".0.part"); got != "[1" {
		t.Errorf("the file has %q", got)
	}
	if _, err := os.Stat(path + ".lock"); err != nil {
		t.Errorf("the lock of the other server: %v", err)
	}
}
