//go:build unix

package single_test

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"conch/app/single"
)

// TestHolderThatDoesNotAnswer: the holder may still be starting. The error names its process, and does
// not say to end it at once.
func TestHolderThatDoesNotAnswer(t *testing.T) {
	dir, root := t.TempDir(), t.TempDir()
	frozen := start(t, single.Window, dir, root)
	frozen.says(t, "held")
	if err := frozen.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	// The signal is sent to one thread, and the others stop a little later. The parent is notified
	// when all have stopped.
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(frozen.cmd.Process.Pid, &status, syscall.WUNTRACED, nil); err != nil || !status.Stopped() {
		t.Fatalf("its status is %v, %v", status, err)
	}
	held, err := single.Find(dir, []string{root})
	if err != nil || held == nil {
		t.Fatalf("found %v, %v", held, err)
	}
	want := fmt.Sprintf("(process %d), which does not answer: it is still starting, or hangs. Try again in a moment", frozen.cmd.Process.Pid)
	if text := held.Error(); !strings.Contains(text, want) {
		t.Errorf("said %q", text)
	}
}
