//go:build unix

package stopped_test

import (
	"errors"
	"fmt"
	"os/exec"
	"testing"

	"conch/engine/stopped"
)

func TestBy(t *testing.T) {
	for script, want := range map[string]string{
		"kill -KILL $$": "signal: killed", "kill -TERM $$": "signal: terminated", "kill -INT $$": "signal: interrupt",
		"kill -ABRT $$": "", "kill -SEGV $$": "", "exit 3": "", "exit 0": "",
	} {
		err := exec.Command("sh", "-c", "ulimit -c 0; "+script).Run()
		if got := stopped.By(fmt.Errorf("wrapped: %w", errors.Join(err, nil))); got != want {
			t.Errorf("%s: %q (%v)", script, got, err)
		}
	}
}
