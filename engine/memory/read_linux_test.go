package memory

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// What is free is asked for every second, of a dozen files. Each that the poller watches wakes a thread.
func TestReadFileIsNotWatched(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe") // can be watched, as files of control groups can
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	writer, err := unix.Open(path, unix.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	read := make(chan string)
	go func() {
		content, err := readFile(path)
		if err != nil {
			t.Error(err)
		}
		read <- string(content)
	}()
	if _, err := unix.Write(writer, []byte("some")); err != nil {
		t.Fatal(err)
	}
	waitUntilRead(t, writer)
	if isWatched(t, path) {
		t.Error("the poller watches a file that is read")
	}
	if err := unix.Close(writer); err != nil {
		t.Fatal(err)
	}
	if got := <-read; got != "some" {
		t.Errorf("read %q", got)
	}
}

// waitUntilRead waits until nothing is left in a pipe.
func waitUntilRead(t *testing.T, pipe int) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(time.Millisecond) {
		left, err := unix.IoctlGetInt(pipe, unix.TIOCINQ)
		if err != nil {
			t.Fatal(err)
		}
		if left == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("nobody reads")
		}
	}
}

// isWatched reports whether this process has the system tell of changes to a file.
func isWatched(t *testing.T, path string) bool {
	t.Helper()
	infos, err := filepath.Glob("/proc/self/fdinfo/*")
	if err != nil || len(infos) == 0 {
		t.Fatal("the open files of this process are not known", err)
	}
	for _, info := range infos {
		content, _ := os.ReadFile(info) // it may have been closed
		for line := range strings.Lines(string(content)) {
			fields := strings.Fields(line)
			if len(fields) < 2 || fields[0] != "tfd:" {
				continue
			}
			if name, _ := os.Readlink("/proc/self/fd/" + fields[1]); name == path {
				return true
			}
		}
	}
	return false
}
