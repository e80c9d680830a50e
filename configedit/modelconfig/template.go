package modelconfig

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"google.golang.org/protobuf/reflect/protoreflect"

	"conch/configedit/diag"
	"conch/configedit/template"
	"conch/configedit/text"
)

// Template is what a config has if it is a template.
type Template struct {
	*template.Text
	// Others are the same config with other substitutes. Mistakes that all of them have do not depend on the filled-in
	// values.
	Others []*ModelConfig
}

// parseTemplate reads a template: with substitutes for its placeholders, without the mistakes that these cause, and
// with one notice that says what to fill in.
func parseTemplate(name string, src []byte, t *template.Text, refused string) (*Decoded, []diag.Diagnostic) {
	decoded, list := parse(name, t.Mask(0))
	decoded.Template = &Template{Text: t}
	for round := 1; round < template.Rounds; round++ {
		d, found := parse(name, t.Mask(round))
		decoded.Template.Others = append(decoded.Template.Others, d.Config)
		list = slices.DeleteFunc(list, func(x diag.Diagnostic) bool { return !slices.ContainsFunc(found, alike(x)) })
	}
	file := text.NewFile(name, src)
	decoded.File, decoded.Doc.File = file, file
	spans := t.Spans()
	list = slices.DeleteFunc(list, func(d diag.Diagnostic) bool {
		return slices.ContainsFunc(spans, func(s diag.Span) bool { return d.Span.Start <= s.End && s.Start <= d.Span.End })
	})
	for i := range list { // Triton refuses the file at its first placeholder, if they are not only in strings
		list[i].First = false
	}
	if open := t.Placeholders(); len(open) > 0 {
		list = append(list, notice(open, refused))
	}
	diag.Sort(list)
	return decoded, list
}

// mostNamed is how many placeholders a notice names.
const mostNamed = 6

// notice returns the only diagnostic about a template.
func notice(open []template.Placeholder, refused string) diag.Diagnostic {
	var names []string
	for i, p := range open {
		if i == mostNamed && len(open) > mostNamed+1 {
			names = append(names, fmt.Sprintf("%d more", len(open)-mostNamed))
			break
		}
		names = append(names, p.Name)
	}
	return diag.Diagnostic{
		Severity: diag.Advice, Code: CodeTemplate, Span: open[0].Spans[0], Triton: refused, First: refused != "",
		Message: fmt.Sprintf("this is a template: %s must be filled in before Triton reads it; what depends on that is not judged", listed(names)),
	}
}

// listed writes a list as people do: a, b and c.
func listed(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// templateOf finds out whether a text is a template: it has a form that nothing else has, or Triton refuses it and there
// are fewer mistakes in it when its placeholders are filled in.
func templateOf(name string, src []byte, list []diag.Diagnostic) *template.Text {
	sure := template.Read(src)
	if !diag.HasErrors(list) {
		return sure
	}
	t := template.ReadRefused(src, numericField)
	if t == nil || sure != nil {
		return t
	}
	if _, left := parse(name, t.Mask(0)); errors(left) >= errors(list) {
		return nil
	}
	return t
}

func errors(list []diag.Diagnostic) (n int) {
	for _, d := range list {
		if d.Severity.IsError() {
			n++
		}
	}
	return n
}

// numericFields are the names of fields whose values are numbers or booleans.
var numericFields = sync.OnceValue(func() map[string]bool {
	names, seen := map[string]bool{}, map[protoreflect.FullName]bool{}
	var add func(protoreflect.MessageDescriptor)
	add = func(desc protoreflect.MessageDescriptor) {
		if seen[desc.FullName()] {
			return
		}
		seen[desc.FullName()] = true
		for i := range desc.Fields().Len() {
			switch fd := desc.Fields().Get(i); fd.Kind() {
			case protoreflect.MessageKind:
				add(fd.Message())
			case protoreflect.StringKind, protoreflect.BytesKind, protoreflect.EnumKind:
			default:
				names[string(fd.Name())] = true
			}
		}
	}
	add((&ModelConfig{}).ProtoReflect().Descriptor())
	return names
})

func numericField(name string) bool { return numericFields()[name] }

// asItStands returns what Triton says about the unfilled text, or "" if placeholders are only in strings and comments.
func asItStands(list []diag.Diagnostic) string {
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
