package mend_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/configedit/text"
)

var update = flag.Bool("update", false, "write what is seen as what is expected, and fail")

// TestGolden judges every testdata/*.txt and compares what is said of the config, what it is after the safe fixes, and
// what it is after the suggestions too, with the sections behind it. Each section but the first is written by -update.
func TestGolden(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) { golden(t, path) })
	}
}

const configSection, saidSection = "-- config.pbtxt --\n", "-- said --\n"

func golden(t *testing.T, path string) {
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, want, _ := strings.Cut(string(content), saidSection)
	src := strings.TrimPrefix(head, configSection)
	got := said(src) + section("safe", src, fixed(src, false)) + section("suggestions", src, fixed(src, true))
	if *update {
		if err := os.WriteFile(path, []byte(head+saidSection+got), 0o644); err != nil {
			t.Fatal(err)
		}
		t.Fatalf("%s written; run again without -update", path)
	}
	if got != want {
		t.Errorf("--- got\n%s--- want\n%s", got, want)
	}
}

// section is a text after repairs; it says so where they leave it as it was.
func section(name, before, after string) string {
	if after == before {
		return fmt.Sprintf("-- %s: unchanged --\n", name)
	}
	list, _ := judge(after)
	return fmt.Sprintf("-- %s: %d errors left --\n%s", name, len(errorsOf(list)), after)
}

// said lists what is wrong with a text, as it would stand under an editor.
func said(src string) string {
	var b strings.Builder
	list, _ := judge(src)
	f := text.NewFile("", []byte(src))
	for _, d := range list {
		line, column := f.Position(d.Span.Start)
		fmt.Fprintf(&b, "%d:%d %q %s %s: %s\n", line, column, f.Slice(d.Span), d.Severity, d.Code, d.Message)
		for _, fix := range d.Fixes {
			fmt.Fprintf(&b, "    %s: %s\n", fix.Confidence, fix.Title)
		}
	}
	return b.String()
}
