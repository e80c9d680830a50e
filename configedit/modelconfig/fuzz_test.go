package modelconfig_test

import (
	"testing"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"

	"conch/build/golden"
	"conch/configedit/diag"
	"conch/configedit/modelconfig"
)

// FuzzDecode looks for panics and for disagreement between the tolerant
// decoder and the strict verdict, which shows as an error nobody marked.
func FuzzDecode(f *testing.F) {
	for _, c := range golden.Cases(f, "testdata/decode") {
		f.Add([]byte(c.Text(f, "config.pbtxt")))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		d, list := modelconfig.Parse("config.pbtxt", src)
		if refused := modelconfig.Refused(d.Doc, list); d.Template == nil && refused != diag.HasErrors(list) {
			t.Fatalf("Triton refuses %q: %v; diagnostics: %v", src, refused, list)
		}
		if d.Template == nil && diag.HasErrors(list) != (len(said(list)) > 0) {
			t.Fatalf("no sentence of Triton's for %q: %v", src, list)
		}
		for _, x := range list {
			if !utf8.ValidString(x.Message) || !utf8.ValidString(x.Triton) {
				t.Fatalf("not UTF-8: %q", x.Message)
			}
		}
		if _, err := proto.Marshal(d.Config); err != nil {
			t.Fatal(err)
		}
		back, again := modelconfig.Parse("printed", modelconfig.PrintText(d.Config))
		if back.Template != nil {
			return // a string that was written with escapes
		}
		if diag.HasErrors(again) {
			t.Fatalf("printed text is refused: %v", again)
		}
		a, _ := modelconfig.MarshalJSON(d.Config)
		b, _ := modelconfig.MarshalJSON(back.Config)
		if string(a) != string(b) {
			t.Fatalf("printed text reads differently:\n%s\n%s", a, b)
		}
	})
}
