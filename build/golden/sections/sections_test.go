package sections_test

import (
	"slices"
	"strings"
	"testing"

	"conch/build/golden/sections"
)

// TestThereAndBack: what is written is read as it was, also a text that does not end with a line break.
func TestThereAndBack(t *testing.T) {
	list := []sections.Section{{"a/b", "one\ntwo\n"}, {"empty", ""}, {"crlf", "x\r\n"}, {"unended", "x"}, {"more", "\n"}, {"last", "y\nz"}}
	data, err := sections.Format("About.\n", list)
	if err != nil {
		t.Fatal(err)
	}
	about, read, err := sections.Parse(data)
	if err != nil || about != "About.\n" || !slices.Equal(read, list) {
		t.Errorf("%v, %q %q", err, about, read)
	}
}

func TestRefuses(t *testing.T) {
	if data, err := sections.Format("", []sections.Section{{"a", "x\n-- b --\ny\n"}}); err == nil || !strings.Contains(err.Error(), "begins a section") {
		t.Errorf("%v\n%s", err, data)
	}
	if _, list, err := sections.Parse([]byte("-- a --\n-- a --\n")); err == nil || !strings.Contains(err.Error(), `two sections called "a"`) {
		t.Errorf("%v %v", err, list)
	}
}
