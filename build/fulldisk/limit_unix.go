//go:build unix

package fulldisk

import (
	"flag"
	"os/signal"
	"testing"

	"golang.org/x/sys/unix"
)

// LimitFiles lets no file of this process grow beyond a size in bytes until undo is called: what fits is
// written, the rest is refused, as on a disk that gets full.
func LimitFiles(t *testing.T, size uint64) (undo func()) {
	t.Helper()
	if flag.Lookup(testLog).Value.String() != "" {
		t.Fatal("the TestMain of this package must call fulldisk.WithoutTestLog")
	}
	signal.Ignore(unix.SIGXFSZ)
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	limited := before
	limited.Cur = min(size, before.Max)
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limited); err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		signal.Reset(unix.SIGXFSZ)
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &before); err != nil {
			t.Fatal(err)
		}
	}
}
