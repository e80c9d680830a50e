//go:build unix

package app_test

import (
	"os"
	"testing"

	"conch/app"
	"conch/app/apptest"
	"conch/build/fulldisk"
)

func TestMain(m *testing.M) {
	if root := os.Getenv(childRoot); root != "" {
		os.Exit(runChild(root))
	}
	fulldisk.WithoutTestLog()
	os.Exit(apptest.Main(m))
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
