package runtimes_test

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"conch/engine/backend/onnx/runtimes"
)

// A download that is too large ends with all programs of it: uv starts pip, and does not take it along when it is killed.
func TestPipEndsWithUV(t *testing.T) {
	dir := t.TempDir()
	held, python := filepath.Join(dir, "held"), filepath.Join(dir, "python")
	if err := syscall.Mkfifo(held, 0o600); err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\ncase \"$*\" in *--version*) exit 0;; *find_best_candidate*) exit 3;; esac\n" +
		`sleep 600 > "` + held + `" & truncate -s 9G "$TMPDIR/part"; wait` + "\n"
	if err := os.WriteFile(python, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv(runtimes.PythonVariable, python)
	child, err := os.OpenFile(held, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer child.Close()
	w := runtimes.Wanted{Offer: runtimes.OfferFor("cpu", "onnxruntime", "1.30.0", ""), Tell: func(string) {}}
	refused(t, storeIn(t.TempDir(), probeQuick), w, "download onnxruntime 1.30.0: the whole build would download more than 4.0 GB")
	if err := child.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(child); err != nil { // it ends when nobody holds the pipe any more
		t.Errorf("the program that was started goes on: %v", err)
	}
}
