package text_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"conch/configedit/diag"
	"conch/configedit/text"
)

// A file of very many words is read up to a bound, says so, and loses nothing.
func TestTokensAreBounded(t *testing.T) {
	for _, unit := range []string{"a{", "a: 1 ", "[", "x\n"} {
		src := []byte(strings.Repeat(unit, text.MaxTokens+5))
		doc, found := text.Parse(text.NewFile("f", src))
		if n := len(doc.Tokens); n > text.MaxTokens+10 {
			t.Errorf("%q: %d tokens", unit, n)
		}
		if !bytes.Equal(text.Print(doc), src) {
			t.Errorf("%q: the tree lost something", unit)
		}
		if !slices.ContainsFunc(found, func(d diag.Diagnostic) bool { return d.Code == text.CodeDepth && d.Severity.IsError() }) &&
			!slices.ContainsFunc(found, func(d diag.Diagnostic) bool { return d.Code == text.CodeTooMany }) {
			t.Errorf("%q: it does not say that the rest is not read", unit)
		}
	}
}
