//go:build unix

package environments_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"conch/engine/backend/python/environments"
	"conch/engine/filelock/filelocktest"
)

// On a disk without locks environments are made, kept while they are used, and removed.
func TestMakeWithoutLocks(t *testing.T) {
	b := newBench(t)
	for _, why := range []error{syscall.ENOLCK, syscall.ENOSYS, syscall.EOPNOTSUPP} {
		filelocktest.Fails(t, why)
		e, _, err := made(t, b.Store, list(t, "shells"))
		if err != nil {
			t.Fatalf("%v: %v", why, err)
		}
		if err := b.Remove(t.Context(), e.ID); !errors.Is(err, environments.ErrInUse) {
			t.Errorf("%v: while it is in use: %v", why, err)
		}
		b.Release(e.ID)
		if err := b.Remove(t.Context(), e.ID); err != nil {
			t.Errorf("%v: %v", why, err)
		}
	}
}

// Two machines that do not see each other's locks make one environment at the same time on one disk. Neither removes what the other one
// makes, and both use what was whole first.
func TestTwoMachines(t *testing.T) {
	b := newBench(t)
	link := filepath.Join(t.TempDir(), "mounted") // another path, since one process is both machines
	if err := os.Symlink(b.Dir, link); err != nil {
		t.Fatal(err)
	}
	w := list(t, "shells")
	id := idOf(t, b.Store, w)
	var first environments.Environment
	plain := b.another(link)
	other := b.another(link)
	other.Run = func(ctx context.Context, cmd *exec.Cmd) error {
		if strings.Contains(strings.Join(cmd.Args, " "), " install ") && first.ID == "" {
			back := filelocktest.Elsewhere(t)
			var err error
			if first, _, err = made(t, b.Store, w); err != nil {
				t.Error(err)
			}
			back()
		}
		return plain.Run(ctx, cmd)
	}
	defer other.Close()
	e, err := other.Make(t.Context(), id, w, func(string) {}, slog.New(slog.DiscardHandler))
	if err != nil || first.ID == "" || e.ID != first.ID {
		t.Fatalf("the second one is %q, the first one %q: %v", e.ID, first.ID, err)
	}
	interpreter, err := e.Interpreter()
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(interpreter, "-c", "import shells").CombinedOutput(); err != nil {
		t.Errorf("it is not whole: %s, %v", out, err)
	}
	if whole := b.List(); len(whole) != 1 {
		t.Errorf("%d environments are there", len(whole))
	}
}
