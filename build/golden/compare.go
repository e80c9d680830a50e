package golden

import (
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write what the tests give into the files that differ, and fail")

// Updating tells whether the tests are to write what they give.
func Updating() bool { return *update }

// compare holds what a test gave against the case's file.
func (c *Case) compare(t testing.TB) {
	t.Helper()
	if len(c.given) == 0 {
		t.Fatalf("%s: the test gave nothing to compare", c.Path)
	}
	made, err := c.format()
	if err != nil {
		t.Fatalf("%s: %v", c.Path, err)
	}
	same(t, c.Path, string(made))
}

// File compares a text with a whole file.
func File(t testing.TB, path, got string) {
	t.Helper()
	same(t, path, got)
}

func same(t testing.TB, path, got string) {
	t.Helper()
	expected, err := os.ReadFile(path)
	if err != nil && !*update {
		t.Fatalf("%v; with -update the test writes it", err)
	}
	if err == nil && string(expected) == got {
		return
	}
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		t.Fatalf("%s was written: look at it, and run again without -update", path)
	}
	t.Errorf("%s differs (-want +got):\n%s", path, cmp.Diff(string(expected), got))
}
