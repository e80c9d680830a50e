package modelconfig_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/configedit/diag"
	"conch/configedit/modelconfig"
	"conch/configedit/text"
)

var update = flag.Bool("update", false, "write what is seen as what is expected, and fail")

// TestDecode reads every testdata/decode/*.pbtxt and compares diagnostics, as
// a person would see them, and the config with the .out file of the same name.
func TestDecode(t *testing.T) {
	paths, err := filepath.Glob("testdata/decode/*.pbtxt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".pbtxt"), func(t *testing.T) {
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			d, list := modelconfig.Parse(path, src)
			got := render(d.File, list) + "---\n" + string(modelconfig.PrintText(d.Config))
			compare(t, strings.TrimSuffix(path, ".pbtxt")+".out", got)
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

// render writes diagnostics as they would be listed under an editor; a star
// marks what Triton would print.
func render(f *text.File, list []diag.Diagnostic) string {
	var b strings.Builder
	for _, d := range list {
		fmt.Fprintf(&b, "%s %s %s: %s\n", place(f, d.Span), d.Severity, d.Code, d.Message)
		for line := range strings.Lines(d.Triton) {
			mark := map[bool]string{true: "*", false: " "}[d.First]
			fmt.Fprintf(&b, "  %s Triton: %s\n", mark, strings.TrimSuffix(line, "\n"))
		}
		for _, r := range d.Related {
			fmt.Fprintf(&b, "    %s %s\n", place(f, r.Span), r.Message)
		}
		for _, fix := range d.Fixes {
			fmt.Fprintf(&b, "    %s: %s\n", fix.Confidence, fix.Title)
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
