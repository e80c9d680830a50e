package check_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"conch/configedit/check"
	"conch/configedit/check/checktest"
)

// TestAdvise shows the advice for a repository; every piece of advice in the code has its case there.
func TestAdvise(t *testing.T) {
	const path = "testdata/advice/all.txt"
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, want, _ := strings.Cut(string(src), "-- want --\n")
	r := checktest.New(t, checktest.Sections(before))
	var b strings.Builder
	for _, name := range r.Names() {
		m, _ := r.Model(name)
		for _, d := range check.Advise(m) {
			fmt.Fprintf(&b, "%s %s %s: %s\n", place(r, name, d.Span), d.Severity, d.Code, d.Message)
			for _, fix := range d.Fixes {
				fmt.Fprintf(&b, "    fix: %s\n", fix.Title)
			}
		}
	}
	if *update {
		if err := os.WriteFile(path, []byte(before+"-- want --\n"+b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		t.Fatalf("%s written; run again without -update", path)
	}
	if b.String() != want {
		t.Errorf("--- got\n%s--- want\n%s", &b, want)
	}
	code, err := os.ReadFile("advise.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`"(ADV\d)"`).FindAllStringSubmatch(string(code), -1) {
		if !strings.Contains(want, " "+m[1]+": ") {
			t.Errorf("%s has no case", m[1])
		}
	}
}
