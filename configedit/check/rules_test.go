package check_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"conch/configedit/rule"
)

// codes find the identifiers of rules in the source.
var (
	literal  = regexp.MustCompile(`"((?:AC|CNT|TF|G|L|WU|PAR|PY|PT|TRT|ACC|IGN|CC|CFG|DB|SB|ST|RC|MM|IG|IO|B|E|D|EV|ORT)[0-9]+'?|FILE|VERSION|IO-TWICE|DUPLICATE)"`)
	constant = regexp.MustCompile(`RuleONNX\w+\s*=\s*"(\w+)"|Rule\w+\s*=\s*"((?:AC|TF|PT)\d+)"`)
)

// TestRulesHaveCases: for every rule in the code a case in testdata that breaks it, in a file of its name, beside a
// near miss that Triton takes.
func TestRulesHaveCases(t *testing.T) {
	rules := rulesOf(t)
	if len(rules) < 80 {
		t.Fatalf("only %d rules found: %v", len(rules), rules)
	}
	for _, rule := range rules {
		paths, err := filepath.Glob("testdata/" + rule + "-*.txt")
		if err != nil {
			t.Fatal(err)
		}
		broken, near := false, false
		for _, path := range paths {
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			_, want, _ := strings.Cut(string(src), "-- want --\n")
			broken = broken || strings.Contains(want, " "+rule+": ")
			near = near || strings.Contains(want, ": fine\n") || nearOnlyWarns(want)
		}
		if !broken || !near {
			t.Errorf("rule %s: a case that breaks it: %t; a near miss: %t", rule, broken, near)
		}
	}
}

// nearOnlyWarns tells whether the model called near is taken, though not without a warning.
func nearOnlyWarns(want string) bool {
	there := false
	for line := range strings.Lines(want) {
		if strings.HasPrefix(line, "near:") {
			there = true
			if strings.Contains(line, " error ") {
				return false
			}
		}
	}
	return there
}

func rulesOf(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var rules []string
	for _, r := range rule.All() {
		rules = append(rules, r.ID)
	}
	for _, path := range append(paths, "../derive/problem.go") {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range literal.FindAllStringSubmatch(string(src), -1) {
			rules = append(rules, m[1])
		}
		for _, m := range constant.FindAllStringSubmatch(string(src), -1) {
			rules = append(rules, m[1]+m[2])
		}
	}
	slices.Sort(rules)
	return slices.Compact(rules)
}
