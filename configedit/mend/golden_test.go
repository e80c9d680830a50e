package mend_test

import (
	"fmt"
	"strings"
	"testing"

	"conch/build/golden"
	"conch/configedit/text"
)

// TestGolden judges the config of every case of testdata and compares what is said of it, and what it is after the safe
// fixes, and after the suggestions too.
func TestGolden(t *testing.T) {
	golden.Each(t, "testdata", func(t *testing.T, c *golden.Case) {
		src := c.Text(t, "config.pbtxt")
		safe, suggested := fixed(src, false), fixed(src, true)
		c.Want(said(src) + "after the safe fixes: " + left(src, safe) + "\nafter the suggestions: " + left(src, suggested) + "\n")
		if safe != src {
			c.WantPart("safe", safe)
		}
		if suggested != src {
			c.WantPart("suggestions", suggested)
		}
	})
}

// left returns what is wrong after fixes.
func left(before, after string) string {
	if after == before {
		return "unchanged"
	}
	list, _ := judge(after)
	return fmt.Sprintf("%d errors left", len(errorsOf(list)))
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
