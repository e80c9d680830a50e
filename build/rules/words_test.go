package rules_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// phrase is an English phrase that a reader has to read twice, and the plain words for it.
type phrase struct {
	odd   *regexp.Regexp
	plain string
}

// phrases are not used in code, pages and messages. CONTRIBUTING.md asks for plain English; this list holds what was
// found and rewritten, so that it does not come back.
var phrases = []phrase{
	{regexp.MustCompile(`(?i)\banew\b`), "again"},
	{regexp.MustCompile(`(?i)\bwho(m)?ever\b`), "who, anyone who, the caller"},
	{regexp.MustCompile(`(?i)\bwhichever\b`), "the one that"},
	{regexp.MustCompile(`(?i)\b(whence|whither|whereof|wherein|thereof|therein|lest|hitherto|albeit|nought|ere)\b`), "a word of today"},
	{regexp.MustCompile(`(?i)\ball the same\b`), "anyway, still"},
	{regexp.MustCompile(`(?i)\bfor the time being\b`), "temporary"},
	{regexp.MustCompile(`(?i)\bin the midst\b`), "during, in the middle"},
	{regexp.MustCompile(`(?i)'s sake\b`), "for"},
	{regexp.MustCompile(`(?i)\bbelongs? into\b`), "belongs in"},
	{regexp.MustCompile(`(?i)\blitter\b`), "temporary files of editors"},
	{regexp.MustCompile(`(?i)\bwhich is to say\b`), "that is"},
	{regexp.MustCompile(`(?i)\b(is|are|was|were) to be\b`), "must be, should be, will be"},
	{regexp.MustCompile(`(?i)\b(have|has) not (a|an|the|any|its|their)\b`), "has no, does not have"},
	{regexp.MustCompile(`(?i)\bstands? (once|in|on|beside|here|there|above|below|alone)\b`), "is in, is written in"},
	{regexp.MustCompile(`(?i)\b(in|of|by|from|to|behind|under|for|with) whose\b`), "two sentences"},
	{regexp.MustCompile(`(?i)\bpass(es|ed)? over\b`), "skip"},
	{regexp.MustCompile(`(?i)\bof one's own\b`), "own"},
	{regexp.MustCompile(`(?i)\b(needs?|knows?|takes?|gives?|reads?|wants?) (it|them) not\b`), "does not need it"},
	{regexp.MustCompile(`(?i)\bthe like of\b|\bsuch a one\b|\bcame by\b`), "a plain word"},
	{regexp.MustCompile(`(?i)\b(what|that|which) is no (an?|[a-km-z]\w+|l[a-np-z]\w*)\b`), "that is not a"},
	{regexp.MustCompile(`(?i)\bas is the\b|\bso is the\b|\bso are the\b`), "the … is too"},
	{regexp.MustCompile(`\bsays whether\b`), "reports whether"},
}

// isProse tells which files people read: code, pages and scripts that are written by hand.
func isProse(name string) bool {
	written := hasComments(name) || strings.HasSuffix(name, ".md")
	return written && !strings.Contains(name, "testdata/") && !strings.HasSuffix(name, ".connect.go") && name != "build/rules/words_test.go"
}

// odd lists the odd phrases of a text, by line.
func odd(text string) (list []string) {
	number := 0
	for line := range strings.Lines(text) {
		number++
		for _, p := range phrases {
			if found := p.odd.FindString(line); found != "" {
				list = append(list, fmt.Sprintf("%d: %q; plain: %s", number, strings.TrimSpace(found), p.plain))
			}
		}
	}
	return list
}

func TestPlainEnglish(t *testing.T) {
	f := tracked(t)
	for _, name := range f.files {
		if !isProse(name) {
			continue
		}
		for _, found := range odd(read(t, name)) {
			t.Errorf("%s:%s", name, found)
		}
	}
}

func TestOddPhrasesAreFound(t *testing.T) {
	got := odd("// Read reads a text anew.\n// It is read again.\n\tfor its reader's sake // whoever reads it\n")
	want := []string{`1: "anew"; plain: again`, `3: "whoever"; plain: who, anyone who, the caller`, `3: "'s sake"; plain: for`}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
