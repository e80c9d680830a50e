package rules_test

import (
	"path"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// binaryKinds are the files that are no text. The scripts and programs of this tree make them; whatever is fetched stays
// out of the tree.
var binaryKinds = map[string]*regexp.Regexp{
	".png":   regexp.MustCompile(`^docs/|^examples/|^build/|/testdata/`),
	".onnx":  regexp.MustCompile(`^examples/|/testdata/`),
	".pt":    regexp.MustCompile(`/testdata/`),
	".gz":    regexp.MustCompile(`^app/about/notices\.txt\.gz$`),
	".txtar": regexp.MustCompile(`/testdata/`), // a text with the bad bytes that its test is about
	"":       regexp.MustCompile(`/testdata/fuzz/`),
}

const largestBinary = 1 << 20

func TestNothingFetchedIsInTheTree(t *testing.T) {
	for _, name := range tracked(t).files {
		text := read(t, name)
		if utf8.ValidString(text) && !strings.Contains(text, "\x00") {
			continue
		}
		if where := binaryKinds[path.Ext(name)]; where == nil || !where.MatchString(name) {
			t.Errorf("%s is a binary file, and none of its kind belongs there", name)
		}
		if len(text) > largestBinary {
			t.Errorf("%s has %d bytes; a binary file has %d at most", name, len(text), largestBinary)
		}
	}
}
