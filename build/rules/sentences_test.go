package rules_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"conch/configedit/rule"
)

// verbs are the places of a format where values go.
var verbs = regexp.MustCompile(`%[a-zA-Z]`)

// ofJSON is what Triton's JSON reader says, of a config as of a request. It belongs to no rule alone.
const ofJSON = "attempt to access JSON non-string as string"

// sentences are those of the table of rules, by the rule's ID. Short ones are no sentences.
func sentences() map[string]string {
	said := map[string]string{}
	for _, r := range rule.All() {
		for _, s := range append([]string{r.Triton}, r.Also...) {
			if plain := verbs.ReplaceAllString(s, "…"); len(plain) > 20 && plain != ofJSON {
				said[plain] = r.ID
			}
		}
	}
	return said
}

// TestSentencesStandOnce: the engine and the checks take the sentences of rules from the table, and write none of them
// themselves.
func TestSentencesStandOnce(t *testing.T) {
	said := sentences()
	if len(said) < 100 {
		t.Fatalf("the table has %d sentences", len(said))
	}
	for _, p := range packages(t, "") {
		if path, _ := inModule(p.ImportPath); !under(path, "engine") && path != "configedit/derive" && path != "configedit/check" {
			continue
		}
		for _, name := range p.GoFiles {
			for _, text := range texts(t, filepath.Join(p.Dir, name)) {
				if id := repeats(text, said); id != "" {
					t.Errorf("%s/%s writes the sentence of rule %s: %q; take it from configedit/rule", p.ImportPath, name, id, text)
				}
			}
		}
	}
}

// repeats finds the rule of which a text repeats a sentence.
func repeats(text string, said map[string]string) string {
	plain := verbs.ReplaceAllString(text, "…")
	for sentence, id := range said {
		if strings.Contains(plain, sentence) {
			return id
		}
	}
	return ""
}

// texts are the texts of a file, with those joined that a + joins.
func texts(t *testing.T, path string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	ast.Inspect(file, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		if !ok {
			return true
		}
		text, ok := joined(e)
		if ok {
			list = append(list, text)
		}
		return !ok
	})
	return list
}

// joined is a text or several; a value between them is written as %s.
func joined(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		left, leftIs := joined(e.X)
		right, rightIs := joined(e.Y)
		if !leftIs {
			left = "%s"
		}
		if !rightIs {
			right = "%s"
		}
		return left + right, e.Op == token.ADD && (leftIs || rightIs)
	}
	return "", false
}

// A comparison that finds nothing would make the test above worthless.
func TestSentencesAreFound(t *testing.T) {
	said := sentences()
	for _, text := range []string{
		"multiple label files for '%s'", "failed: multiple label files for '%v'", rule.L10.Triton,
	} {
		if repeats(text, said) == "" {
			t.Errorf("%q was not found", text)
		}
	}
	if id := repeats("the model is not there", said); id != "" {
		t.Errorf("a text that does not belong to a rule: %s", id)
	}
}
