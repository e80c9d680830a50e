package explain_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"conch/configedit/explain"
	"conch/configedit/rule"
)

// codes find the identifiers of rules in golden files.
var codes = []*regexp.Regexp{
	regexp.MustCompile(`(?m)\b(?:error|warning|advice) ([A-Z][A-Z0-9'-]*|TXT-[A-Z0-9-]+): `),
	regexp.MustCompile(`(?m)(?:error|warning|advice): .* \[([A-Za-z0-9'-]+)\]$`),
	regexp.MustCompile(`"code": "([^"]+)"`),
}

// TestEveryCodeIsExplained: every code in a golden file of the project is a rule of the table.
func TestEveryCodeIsExplained(t *testing.T) {
	seen := map[string]bool{}
	for _, part := range []string{"../../configedit", "../../app", "../../repo"} {
		err := filepath.WalkDir(part, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.Contains(filepath.ToSlash(path), "/testdata/") {
				return err
			}
			src, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, code := range codes {
				for _, m := range code.FindAllSubmatch(src, -1) {
					if id := string(m[1]); rule.Find(id) == nil && !seen[id] {
						t.Errorf("%s: %s is no rule", path, id)
					}
					seen[string(m[1])] = true
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(seen) < 150 {
		t.Errorf("only %d codes were found", len(seen))
	}
}

// form is the one form of identifiers.
var form = regexp.MustCompile(`^[A-Z]+(-[A-Z0-9]+)*[0-9]*'?$`)

// TestWords: every rule has its words, in the form that the pages need.
func TestWords(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range rule.All() {
		if !form.MatchString(r.ID) {
			t.Errorf("%s: the identifier does not have the form of all others", r.ID)
		}
		if seen[strings.ToLower(r.ID)] {
			t.Errorf("%s stands twice in the table", r.ID)
		}
		seen[strings.ToLower(r.ID)] = true
		if r.Title == "" || strings.HasSuffix(r.Title, ".") || len(r.Title) > 90 {
			t.Errorf("%s: the title %q is empty, too long or ends with a full stop", r.ID, r.Title)
		}
		for _, text := range []string{r.Means, r.Fix, r.Why} {
			if text != "" && !strings.HasSuffix(text, ".") || strings.Contains(text, "  ") {
				t.Errorf("%s: %q is no sentence", r.ID, text)
			}
		}
		if r.Means == "" || r.Why == "" || r.Fix == "" {
			t.Errorf("%s: it is not said what it means, why Triton has it, or the way out is not", r.ID)
		}
		if sentences := strings.Count(r.Means, ". ") + 1; sentences > 5 {
			t.Errorf("%s: %d sentences are too many", r.ID, sentences)
		}
	}
}

// TestExamples: every rule about one model has an example that shows what is wrong and what is right.
func TestExamples(t *testing.T) {
	for _, r := range rule.All() {
		if r.Subject() == rule.STRAY.Subject() || r == rule.LBL1 { // about a repository; a file of a million lines
			continue
		}
		lines := explain.Of(r).Example
		if len(lines) == 0 || len(lines) > 40 {
			t.Errorf("%s: the example has %d lines", r.ID, len(lines))
		}
	}
}

// TestDocument: docs/rules.md is what the table says.
func TestDocument(t *testing.T) {
	have, err := os.ReadFile("../../" + explain.File)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != explain.Document() {
		t.Errorf("%s is stale; run make generate", explain.File)
	}
}

// TestNear: the nearest names come first.
func TestNear(t *testing.T) {
	for wrong, want := range map[string]string{"TXTENUM": "TXT-ENUM", "ort55": "ORT5", "E0": "E0'"} {
		if got := explain.Near(wrong); len(got) == 0 || got[0] != want {
			t.Errorf("near %s: %v, want %s first", wrong, got, want)
		}
	}
	for _, far := range []string{"nosuch", "", strings.Repeat("long", 100)} {
		if got := explain.Near(far); len(got) > 0 {
			t.Errorf("near %q: %v, want none", far, got)
		}
	}
}
