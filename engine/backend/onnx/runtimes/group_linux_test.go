package runtimes_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"conch/engine/backend/onnx/runtimes"
)

// aHeldPipe is a named pipe, and what waits until no program holds it any more.
func aHeldPipe(t *testing.T) (path string, released func()) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "held")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	end, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = end.Close() })
	return path, func() {
		t.Helper()
		if err := end.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(end); err != nil {
			t.Errorf("the program that was started goes on: %v", err)
		}
	}
}

// A download that is too large ends with all programs of it: uv starts pip, and does not take it along when it is killed.
func TestPipEndsWithUV(t *testing.T) {
	held, released := aHeldPipe(t)
	python := filepath.Join(t.TempDir(), "python")
	script := "#!/bin/sh\ncase \"$*\" in *--version*) exit 0;; *find_best_candidate*) exit 3;; esac\n" +
		`sleep 600 > "` + held + `" & truncate -s 9G "$TMPDIR/part"; wait` + "\n"
	if err := os.WriteFile(python, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv(runtimes.PythonVariable, python)
	w := runtimes.Wanted{Offer: runtimes.OfferFor("cpu", "onnxruntime", "1.30.0", ""), Tell: func(string) {}}
	refused(t, storeIn(t.TempDir(), probeQuick), w, "download onnxruntime 1.30.0: the whole build would download more than 4.0 GiB")
	released()
}

// A library that forks when it is opened, and ends its process, leaves nothing behind.
func TestForkOfALibraryEndsWithIt(t *testing.T) {
	held, released := aHeldPipe(t)
	library := compiled(t, fmt.Sprintf(`#include <fcntl.h>
#include <unistd.h>
__attribute__((constructor)) static void f(void) {
	open(%q, O_WRONLY); // the child has it too
	if (fork() == 0) for (;;) pause();
	_exit(0);
}`, held))
	if _, err := storeIn(t.TempDir(), probeReal).Ask(t.Context(), filepath.Join(library, runtimes.LibraryName())); err == nil {
		t.Error("a library that ends its process has answered")
	}
	released()
}
