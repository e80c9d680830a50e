package unshared

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// openPipe opens a pipe as the window does: programs inherit it.
func openPipe(t *testing.T) (read, write *os.File) {
	t.Helper()
	var fds [2]int
	if err := syscall.Pipe2(fds[:], syscall.O_NONBLOCK); err != nil {
		t.Fatal(err)
	}
	read, write = os.NewFile(uintptr(fds[0]), "read"), os.NewFile(uintptr(fds[1]), "write")
	t.Cleanup(func() { _, _ = read.Close(), write.Close() })
	return read, write
}

// sleeper starts a program that outlives the test.
func sleeper(t *testing.T) {
	t.Helper()
	program := exec.Command("sleep", "600")
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = program.Process.Kill()
		_ = program.Wait()
	})
}

// ends reports whether a reader sees the end once the writer is closed.
func ends(t *testing.T, read, write *os.File) bool {
	t.Helper()
	_ = write.Close()
	_ = read.SetReadDeadline(time.Now().Add(200 * time.Millisecond))
	_, err := read.Read(make([]byte, 1))
	return !os.IsTimeout(err)
}

func TestProgramsInheritNothing(t *testing.T) {
	for name, mark := range map[string]func(open func()){
		"while": While,
		"mark":  func(open func()) { open(); Mark() },
		"each":  func(open func()) { open(); markEach() },
	} {
		t.Run(name, func(t *testing.T) {
			var read, write *os.File
			mark(func() { read, write = openPipe(t) })
			sleeper(t)
			if !ends(t, read, write) {
				t.Error("a program inherited the pipe")
			}
		})
	}
	read, write := openPipe(t)
	sleeper(t)
	if ends(t, read, write) {
		t.Error("a pipe that is not marked ends too: the test proves nothing")
	}
}

// No program is started while files are opened.
func TestNothingStartsMeanwhile(t *testing.T) {
	started := make(chan struct{})
	While(func() {
		go func() {
			sleeper(t)
			close(started)
		}()
		select {
		case <-started:
			t.Error("a program was started")
		case <-time.After(100 * time.Millisecond): // it can only be seen not to happen
		}
	})
	<-started
}
