package language_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/app/language"
	"conch/configedit/diag"
	"conch/repo/scan"
)

var update = flag.Bool("update", false, "write what is seen as what is expected, and fail")

// TestCompare reads every testdata/compare/*.pbtxt as the config of the model of the examples that its name begins
// with, and compares the comparison with the .out file beside it.
func TestCompare(t *testing.T) {
	library := language.New(scan.New("../../examples/repository").Scan(nil), nil)
	paths, _ := filepath.Glob("testdata/compare/*.pbtxt")
	if len(paths) == 0 {
		t.Fatal("no cases")
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			model, _, _ := strings.Cut(filepath.Base(path), ".")
			_, m := library.With(model, src)
			golden(t, strings.TrimSuffix(path, ".pbtxt")+".out", table(m.Compare()))
		})
	}
}

func table(c language.Comparison) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", c.ModelFile, c.Note)
	for _, f := range c.Fields {
		mark := " "
		if f.Differs {
			mark = "!"
		}
		fmt.Fprintf(&b, "%s %*s%s | %s | %s | %s | %s", mark, 2*f.Depth, "", f.Label, f.File, f.Effective, f.ModelFile, f.Reason)
		if f.Span != (diag.Span{}) {
			fmt.Fprintf(&b, " @%d", f.Span.Start)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func golden(t *testing.T, path, got string) {
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
		t.Errorf("--- got\n%s--- want\n%s", got, want)
	}
}
