package text_test

import (
	"fmt"
	"strings"
	"testing"

	"conch/build/golden"
	"conch/configedit/diag"
	"conch/configedit/text"
)

// TestGolden parses the config of every case of testdata and compares what a person would see.
func TestGolden(t *testing.T) {
	golden.Each(t, "testdata", func(t *testing.T, c *golden.Case) {
		src := c.Text(t, "config.pbtxt")
		doc, list := text.Parse(text.NewFile("config.pbtxt", []byte(src)))
		if string(text.Print(doc)) != src {
			t.Error("printing the tree does not give back the file")
		}
		c.Want(render(doc.File, list))
	})
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
