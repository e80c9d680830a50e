package text_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/configedit/diag"
	"conch/configedit/text"
)

var update = flag.Bool("update", false, "write what is seen as what is expected, and fail")

// TestGolden parses every testdata/*.pbtxt and compares what a person would
// see with the file of the same name that ends in .out.
func TestGolden(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.pbtxt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".pbtxt"), func(t *testing.T) {
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			doc, list := text.Parse(text.NewFile(path, src))
			if string(text.Print(doc)) != string(src) {
				t.Error("printing the tree does not give back the file")
			}
			compare(t, strings.TrimSuffix(path, ".pbtxt")+".out", render(doc.File, list))
		})
	}
}

func compare(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		t.Fatalf("%s written; run again without -update", path)
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s\n--- got\n%s--- want\n%s", path, got, want)
	}
}

// render writes diagnostics as they would be listed under an editor.
func render(f *text.File, list []diag.Diagnostic) string {
	var b strings.Builder
	for _, d := range list {
		fmt.Fprintf(&b, "%s %s %s: %s\n", place(f, d.Span), d.Severity, d.Code, d.Message)
		if d.Triton != "" {
			fmt.Fprintf(&b, "    Triton: %s\n", d.Triton)
		}
		for _, r := range d.Related {
			fmt.Fprintf(&b, "    %s %s\n", place(f, r.Span), r.Message)
		}
		for _, fix := range d.Fixes {
			fmt.Fprintf(&b, "    %s: %s:", fix.Confidence, fix.Title)
			for _, e := range fix.Edits {
				fmt.Fprintf(&b, " %s %q", place(f, e.Span), e.New)
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func place(f *text.File, s text.Span) string {
	line, col := f.Position(s.Start)
	endLine, endCol := f.Position(s.End)
	if endLine == line {
		return fmt.Sprintf("%d:%d-%d", line, col, endCol)
	}
	return fmt.Sprintf("%d:%d-%d:%d", line, col, endLine, endCol)
}
