package text_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"conch/configedit/text"
)

// TestLinear feeds much of what a careless parser would take quadratic
// time or a deep stack for.
func TestLinear(t *testing.T) {
	const size = 1 << 18
	for _, unit := range []string{
		"{", "}", "[", "a{", "a {\n", "a[{", "<", "\"", "\"}\n", "a:", ",", "a: [1,", "{]", "a { ]\n", "}\n{",
		"\x00", "é", "\t@", "08 ", "'\\q'", "// x\n", "/*", "a: 1\n", "[a.", "\n  }\n",
	} {
		src := []byte(strings.Repeat(unit, size/len(unit)))
		start := time.Now()
		doc, _ := text.Parse(text.NewFile("f", src))
		if !bytes.Equal(text.Print(doc), src) {
			t.Errorf("%q: the tree lost something", unit)
		}
		// Around 0.05 s each; the bound only has to catch what is not linear.
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%q: took %v", unit, took)
		}
	}
}
