package modelconfig_test

import (
	"fmt"
	"strings"
	"testing"

	"conch/build/golden"
	"conch/configedit/diag"
	"conch/configedit/modelconfig"
	"conch/configedit/text"
)

// TestDecode reads the config of every case of testdata/decode and compares diagnostics, as a person would see them, and
// the config as it was understood.
func TestDecode(t *testing.T) {
	golden.Each(t, "testdata/decode", func(t *testing.T, c *golden.Case) {
		d, list := modelconfig.Parse("config.pbtxt", []byte(c.Text(t, "config.pbtxt")))
		c.Want(render(d.File, list))
		c.WantPart("config.pbtxt", string(modelconfig.PrintText(d.Config)))
	})
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
