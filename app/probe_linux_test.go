package app_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"conch/app/apptest"
)

// holding is a library that says that it was opened, and then hangs.
const holding = `#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
__attribute__((constructor)) static void hang(void) {
  if (write(open(getenv("HELD"), O_WRONLY), "open", 4) == 4) for (;;) pause();
}
`

// The process that asks a library what it is ends with the process that wants to know, also when that is killed.
func TestAskingEndsWithItsParent(t *testing.T) {
	dir := t.TempDir()
	held, source, library := filepath.Join(dir, "held"), filepath.Join(dir, "holding.c"), filepath.Join(dir, "libonnxruntime.so.1")
	apptest.Write(t, source, holding)
	if out, err := exec.Command("cc", "-shared", "-fPIC", "-o", library, source).CombinedOutput(); err != nil {
		t.Fatalf("compile the library: %v\n%s", err, out)
	}
	if err := syscall.Mkfifo(held, 0o600); err != nil {
		t.Fatal(err)
	}
	opened, err := os.OpenFile(held, os.O_RDWR, 0) // so that nobody waits for the other end
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	list := exec.Command(apptest.Program(), "runtime", "list")
	list.Env = append(os.Environ(), "HELD="+held, "CONCH_ONNXRUNTIME="+library, "XDG_DATA_HOME="+dir)
	var said strings.Builder
	list.Stderr = &said
	if err := list.Start(); err != nil {
		t.Fatal(err)
	}
	word := make([]byte, 4)
	if _, err := io.ReadFull(opened, word); err != nil {
		t.Fatal(err)
	}
	reader, err := os.OpenFile(held, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	_ = opened.Close() // the library alone can write now
	if err := list.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = list.Wait()
	if err := reader.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(reader); err != nil { // it ends when nobody holds the pipe any more
		t.Errorf("the process that asks goes on: %v\n%s", err, said.String())
	}
}
