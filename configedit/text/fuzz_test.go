package text_test

import (
	"bytes"
	"testing"

	"conch/configedit/text"
)

// seeds are inputs that reach every branch of the lexer and the parser.
var seeds = []string{
	"", "\n", "# only a comment", "name: \"m\"\nmax_batch_size: 4\n",
	"input [ { name: \"a\" dims: [1, -1] }, { name: 'b' } ]",
	"input < name: \"a\"; > , output { }",
	"a: -inf b: 0x1F c: 08 d: 1.5f e: 1e f: .5 g: x.5 h: 4i",
	"s: \"a\\n\\x4\\u00e9\\U0001F600\\q\" 'b' \"c\n}",
	"\ufeffname: \"m\"", "// no\n/* no */ a: 1", "a { b { c: [1, 2 } d: 1\ne: 2",
	"a {\n  b: 1\nc {\n  d: 2\n}\n", "{\"name\": \"m\"}", "[a.b]: 1 [a..b] [",
	"a: 1,, b; ;c = 3 \"d\": 4 }} > ]", "x: \x00\x01 \x80\xff y", "a: [,1,,2 3,] b: [1 {",
	"input {\n\tname: \"x}\n}\n", "a { ] b: 1", "p { key: \"k\" value { s: \"v }}\n",
}

func FuzzParse(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		file := text.NewFile("config.pbtxt", src)
		doc, list := text.Parse(file)
		if got := text.Print(doc); !bytes.Equal(got, src) {
			t.Fatalf("print gives %q for %q", got, src)
		}
		for _, d := range list {
			if d.Span.Start < 0 || d.Span.End > len(src) || d.Span.End < d.Span.Start {
				t.Fatalf("span %v outside of %d bytes: %s", d.Span, len(src), d.Message)
			}
		}
		for off := range min(len(src)+1, 300) {
			doc.At(off)
			if back := file.FromUTF16(file.UTF16(off)); back > off {
				t.Fatalf("UTF-16 of %d comes back as %d", off, back)
			}
			line, col := file.Position(off)
			if back := file.Offset(line, col); back > off {
				t.Fatalf("%d:%d of %d comes back as %d", line, col, off, back)
			}
		}
	})
}
