package check_test

import (
	"regexp"
	"strings"
	"testing"

	"conch/build/golden"
	"conch/configedit/rule"
)

// told finds a diagnostic in a golden file, and Triton's sentence in the line below it.
var told = regexp.MustCompile(`(?m)^\S+ .*?(?:error|warning|advice) ([A-Z][A-Za-z0-9'-]*): .*\n\s+(?:\* )?Triton: (.*)$`)

// verb is a place in a format where a value goes.
var verb = regexp.MustCompile(`%[a-z]`)

// TestSentencesAreTheTable: each sentence of Triton in a golden case is one that the table has for its rule, and each one
// of the table is in a golden case. What the parser says of a mistake depends on what stands behind it, so that the table
// has more sentences for those rules than there are cases.
func TestSentencesAreTheTable(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range golden.Cases(t, "testdata") {
		for _, m := range told.FindAllStringSubmatch(c.Wanted(), -1) {
			format, known := formatOf(rule.Find(m[1]), m[2])
			if !known {
				t.Errorf("%s: rule %s has no sentence like %q", c.Path, m[1], m[2])
			}
			seen[m[1]+format] = true
		}
	}
	for _, r := range rule.All() {
		for _, format := range formats(r) {
			if !seen[r.ID+format] && hasCases(r) && r.Subject() != rule.TxtName.Subject() {
				t.Errorf("rule %s: no golden file has the sentence %q", r.ID, format)
			}
		}
	}
}

func formats(r *rule.Rule) []string {
	if r == nil || r.Triton == "" {
		return nil
	}
	return append([]string{r.Triton}, r.Also...)
}

// formatOf is the format of a rule that a sentence was made of.
func formatOf(r *rule.Rule, sentence string) (string, bool) {
	for _, format := range formats(r) {
		parts := verb.Split(format, -1)
		for i := range parts {
			parts[i] = regexp.QuoteMeta(parts[i])
		}
		whole := regexp.MustCompile("^" + strings.TrimRight(strings.Join(parts, ".*"), " ") + "$")
		if whole.MatchString(sentence) || whole.MatchString(strings.TrimRight(sentence, " ")) {
			return format, true
		}
	}
	return "", false
}
