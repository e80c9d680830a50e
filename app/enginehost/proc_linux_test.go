package enginehost

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestProcessStoppedReadsTheState: a program's name may look like the state that the kernel writes
// after it.
func TestProcessStoppedReadsTheState(t *testing.T) {
	cat, err := exec.LookPath("cat")
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(cat)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x) T 1")
	if err := os.WriteFile(path, program, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), path)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = in.Close()
		_ = cmd.Wait()
	}()
	if _, err := in.Write([]byte("\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadByte(); err != nil { // it runs under its own name now
		t.Fatal(err)
	}
	if stopped, known := processStopped(cmd.Process.Pid); stopped || !known {
		t.Errorf("stopped %t, known %t", stopped, known)
	}
}
