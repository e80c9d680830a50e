package modelconfig

import (
	"fmt"
	"slices"

	"conch/configedit/diag"
	"conch/configedit/template"
	"conch/configedit/text"
)

// Template is what a config has that is one.
type Template struct {
	Placeholders []template.Placeholder
	// Others are the same config with other stand-ins. What is wrong with all of them does not depend on what is
	// filled in.
	Others []*ModelConfig
}

// standIns are the digits and letters that take the place of placeholders. As numbers they are powers of two apart,
// as enumerators of data types all exist.
var standIns = []struct{ digit, letter byte }{{'1', 'v'}, {'4', 'w'}, {'8', 'x'}}

// parseTemplate reads a template: with stand-ins for its placeholders, without the mistakes that those make, and
// with a remark at each that it is to be filled in.
func parseTemplate(name string, src []byte) (*Decoded, []diag.Diagnostic) {
	var decoded *Decoded
	var list []diag.Diagnostic
	t := &Template{Placeholders: template.Placeholders(src)}
	for _, s := range standIns {
		d, found := parse(name, template.Mask(src, s.digit, s.letter))
		if decoded == nil {
			decoded, list = d, found
			continue
		}
		t.Others = append(t.Others, d.Config)
		list = slices.DeleteFunc(list, func(x diag.Diagnostic) bool { return !slices.ContainsFunc(found, alike(x)) })
	}
	file := text.NewFile(name, src)
	decoded.File, decoded.Doc.File, decoded.Template = file, file, t
	spans := template.Spans(src)
	list = slices.DeleteFunc(list, func(d diag.Diagnostic) bool {
		return slices.ContainsFunc(spans, func(s diag.Span) bool { return d.Span.Start <= s.End && s.Start <= d.Span.End })
	})
	for i := range list { // Triton refuses the file at its first placeholder, if they are not only in strings
		list[i].First = false
	}
	refused := asItStands(name, src)
	for i, p := range t.Placeholders {
		if i > 0 {
			refused = ""
		}
		list = append(list, diag.Diagnostic{
			Severity: diag.Advice, Code: CodeTemplate, Span: p.Spans[0], Triton: refused,
			Message: fmt.Sprintf("this is a template: %s is filled in before Triton reads it, and what depends on it is not judged", p.Name),
		})
	}
	diag.Sort(list)
	return decoded, list
}

// asItStands is what Triton says of the text as it stands, "" where the placeholders are only in strings and comments.
func asItStands(name string, src []byte) string {
	_, list := parse(name, src)
	for _, d := range list {
		if d.First {
			return d.Triton
		}
	}
	return ""
}

// alike finds the same diagnostic.
func alike(x diag.Diagnostic) func(diag.Diagnostic) bool {
	return func(y diag.Diagnostic) bool { return x.Code == y.Code && x.Span == y.Span && x.Message == y.Message }
}
