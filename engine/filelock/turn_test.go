package filelock_test

import (
	"context"
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"conch/engine/filelock"
	"conch/engine/filelock/filelocktest"
)

// take takes a turn for which nobody waits.
func take(t *testing.T, path string) *filelock.Turn {
	t.Helper()
	turn, err := filelock.Take(t.Context(), path, func() { t.Error("waited for nobody") })
	if err != nil {
		t.Fatal(err)
	}
	return turn
}

// The parts of a process have turns on every disk.
func TestTurns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	turns := func(t *testing.T) {
		first := take(t, path)
		ctx, cancel := context.WithCancel(t.Context())
		if _, err := filelock.Take(ctx, path, cancel); !errors.Is(err, context.Canceled) {
			t.Errorf("error = %v", err)
		}
		second, err := filelock.Take(t.Context(), path, first.End)
		if err != nil {
			t.Fatal(err)
		}
		second.End()
	}
	t.Run("locks", turns)
	for _, why := range []error{syscall.ENOLCK, syscall.ENOSYS, syscall.EOPNOTSUPP} {
		t.Run(why.Error(), func(t *testing.T) {
			filelocktest.Fails(t, why)
			turns(t)
		})
	}
}

// A process waits for the turn of another one, whose lock it sees.
func TestTurnsOfProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	other := filelocktest.Lock(t, path)
	waited := 0
	turn, err := filelock.Take(t.Context(), path, func() {
		waited++
		_ = other.Close()
	})
	if err != nil || waited != 1 {
		t.Fatal(err, waited)
	}
	turn.End()
}

// Another error of the lock ends the turn.
func TestTurnsThatFail(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	t.Run("fails", func(t *testing.T) {
		filelocktest.Fails(t, syscall.EMFILE)
		if _, err := filelock.Take(t.Context(), path, func() {}); !errors.Is(err, syscall.EMFILE) {
			t.Errorf("error = %v", err)
		}
	})
	take(t, path).End()
}

// Who has a turn removes at once what a process of this machine left, where locks tell, and else what is a day old.
func TestLeft(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "lock")
	folder := func() string {
		turn := take(t, path)
		defer turn.End()
		made, err := turn.Folder(dir, "made-*.new")
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	here := folder()
	back := filelocktest.Elsewhere(t)
	elsewhere := folder()
	back()
	left := func(want map[string]bool) {
		t.Helper()
		turn := take(t, path)
		defer turn.End()
		for made, want := range want {
			if turn.Left(made) != want {
				t.Errorf("%s was left: %v", filepath.Base(made), !want)
			}
		}
	}
	left(map[string]bool{here: true, elsewhere: false})
	t.Run("no locks", func(t *testing.T) {
		filelocktest.Fails(t, syscall.ENOLCK)
		left(map[string]bool{here: false, elsewhere: false})
		age(t, dir, filelock.Abandoned)
		left(map[string]bool{here: true, elsewhere: true})
	})
	left(map[string]bool{here: true, elsewhere: true})
}
