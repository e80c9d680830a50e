package template

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Lines of ordinary configs hold no placeholder and are not searched: a config is read at every key.
func TestOrdinaryLinesAreNotSearched(t *testing.T) {
	for _, line := range []string{
		"    data_type: TYPE_FP32\n", "  kind: KIND_GPU }\n", "optional: TRUE\n", "input [\n", "dims: [ 3 ] # a COMMENT about ${dims}\n", "  {\n", `name: "INPUT_0"`, "dims: [ 3 ]",
	} {
		if mayHold(line) {
			t.Errorf("%q is searched", line)
		}
	}
}

// No line with a placeholder is skipped: the lines of all golden cases.
func TestNoPlaceholderIsPassedOver(t *testing.T) {
	files, err := filepath.Glob("../check/testdata/*.txtar")
	if err != nil || len(files) < 100 {
		t.Fatalf("%d golden cases, %v", len(files), err)
	}
	seen := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if !seen[line] {
				seen[line] = true
				passedOver(t, line)
			}
		}
	}
}

func passedOver(t *testing.T, line string) {
	for _, at := range loose.FindAllStringIndex(line, -1) {
		word := line[at[0]:at[1]]
		s := &scanner{src: line}
		s.advance(at[0])
		if s.comment || formOf(word) == capsForm && (s.quote != 0 || !isName(word)) {
			continue // a value, and no placeholder
		}
		if !mayHold(line) {
			t.Errorf("%q is not searched in %q", word, line)
		}
	}
}
