//go:build unix

package app_test

import (
	"flag"
	"os"
	"testing"

	"conch/app"
	"conch/app/apptest"
)

func TestMain(m *testing.M) {
	if root := os.Getenv(childRoot); root != "" {
		os.Exit(runChild(root))
	}
	withoutTestLog()
	os.Exit(apptest.Main(m))
}

// withoutTestLog ends the log of opened files that `go test` makes a test binary write. If it writes
// while a test limits the size of files, as limitFiles does, the run fails at its end.
func withoutTestLog() {
	flag.Parse()
	_ = flag.Set("test.testlogfile", "")
}

// window is a window, with what the tests of this package do in it.
type window struct{ *apptest.Window }

func openExamples(t *testing.T) *window {
	t.Helper()
	return &window{apptest.OpenExamples(t)}
}

func open(t *testing.T, root string) *window {
	t.Helper()
	return &window{apptest.Open(t, root)}
}

func openWith(t *testing.T, opts app.Options) *window {
	t.Helper()
	return &window{apptest.OpenWith(t, opts)}
}

func windowAt(url string) *window { return &window{apptest.WindowAt(url)} }
