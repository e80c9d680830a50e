package language_test

import (
	"fmt"
	"strings"
	"testing"

	"conch/app/language"
	"conch/build/golden"
	"conch/configedit/diag"
	"conch/repo/scan"
)

// TestCompare reads each case of testdata/compare as the config of the example model that begins the
// case's name.
func TestCompare(t *testing.T) {
	analysis := language.New(scan.New("../../examples/repository").Scan(nil), nil, language.Around{})
	golden.Each(t, "testdata/compare", func(t *testing.T, c *golden.Case) {
		model, _, _ := strings.Cut(c.Name, ".")
		_, m := analysis.With(model, []byte(c.Text(t, "config.pbtxt")))
		c.Want(table(m.Compare(m.Settled())))
	})
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
