package lastwords_test

import (
	"io"
	"strings"
	"testing"

	"conch/engine/lastwords"
)

// Of a library that prints without an end, the end is kept, and not all of it.
func TestWhatALibraryPrintsIsBounded(t *testing.T) {
	said := &lastwords.Buffer{}
	n, err := io.Copy(said, strings.NewReader(strings.Repeat("warning\n", 1<<20)+"the end"))
	if kept := said.String(); err != nil || n != 8<<20+7 || len(kept) > 1<<20 || !strings.HasSuffix(kept, "the end") {
		t.Errorf("%d bytes of %d are kept: %v", len(kept), n, err)
	}
}

// A library may print in any encoding, and what it said goes into messages that take UTF-8 alone.
func TestLastWordsAreUTF8(t *testing.T) {
	for said, want := range map[string]string{
		"erreur d\xe9j\xe0 vue\n":        ": erreur d\uFFFDj\uFFFD vue",
		strings.Repeat("x", 299) + "é y": ": " + strings.Repeat("x", 299) + "…",
		strings.Repeat("\xff ", 400):     ": " + strings.Repeat("\uFFFD ", 75) + "…",
	} {
		if got := lastwords.Of(said, nil); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
