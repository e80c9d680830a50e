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
