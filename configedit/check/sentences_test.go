package check_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"conch/configedit/rule"
)

// told finds a diagnostic in a golden case, and Triton's sentence in the line below it.
var told = regexp.MustCompile(`(?m)^\S+ .*?(?:error|warning|advice) ([A-Z][A-Za-z0-9'-]*): .*\n  [* ] Triton: (.*)$`)

// verb is a place in a format where a value goes.
var verb = regexp.MustCompile(`%[a-z]`)

// TestSentencesAreTheTable: each sentence of Triton in the golden cases is one of those that the table has for its rule.
func TestSentencesAreTheTable(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, path := range paths {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, want, _ := strings.Cut(string(src), "-- want --\n")
		for _, m := range told.FindAllStringSubmatch(want, -1) {
			r := rule.Find(m[1])
			if r == nil {
				continue
			}
			seen++
			if !sentenceOf(r, m[2]) {
				t.Errorf("%s: rule %s has no sentence like %q", path, m[1], m[2])
			}
		}
	}
	if seen == 0 {
		t.Fatal("no sentence was found")
	}
}

func sentenceOf(r *rule.Rule, sentence string) bool {
	for _, format := range append([]string{r.Triton}, r.Also...) {
		parts := verb.Split(format, -1)
		for i := range parts {
			parts[i] = regexp.QuoteMeta(parts[i])
		}
		whole := regexp.MustCompile("^" + strings.TrimRight(strings.Join(parts, ".*"), " ") + " ?$")
		if format != "" && whole.MatchString(strings.TrimRight(sentence, " ")) {
			return true
		}
	}
	return false
}
