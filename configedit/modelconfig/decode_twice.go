package modelconfig

import (
	"fmt"
	"strings"

	"conch/configedit/diag"
	"conch/configedit/text"
)

// repeated reports a field that is given twice and takes one value.
func (d *decoder) repeated(s scope, f *text.Field) {
	name := f.Name.Text
	report := diag.Diagnostic{
		Code: CodeRepeated, Span: f.Name.Span(),
		Message: fmt.Sprintf("%s is given twice; %s takes it once", name, s.name),
		Triton:  d.sentence(afterName(f), repeatedField, name),
		Related: d.earlier(s, name, "given here first"),
	}
	if first := d.given(s, name); first != nil && !d.full() {
		report.Fixes = d.once(name, first, f)
	}
	d.add(report)
}

// given returns the field with a name that counts.
func (d *decoder) given(s scope, name string) *text.Field {
	for _, f := range s.tree.Fields {
		if f.Name.Text == name && !d.decoded.skipped[f.Value] {
			return f
		}
	}
	return nil
}

// once returns the ways to keep only one of two fields. If both are equal, the second is removed. If both are blocks with
// different fields, they are joined. Otherwise a person has to choose.
func (d *decoder) once(name string, first, second *text.Field) []diag.Fix {
	if d.content(first) == d.content(second) {
		return []diag.Fix{{Title: "remove this " + name, Edits: []diag.Edit{d.removed(second)}}}
	}
	a, isBlock := first.Value.(*text.Message)
	b, areBlocks := second.Value.(*text.Message)
	if isBlock && areBlocks && a.Close.Present() && b.Close.Present() && len(a.Fields) > 0 && apart(a, b) {
		return []diag.Fix{{
			Title: "move its fields into the first " + name,
			Edits: []diag.Edit{d.joined(a, b), d.removed(second)},
		}}
	}
	return []diag.Fix{
		{Title: "remove this " + name, Edits: []diag.Edit{d.removed(second)}},
		{Title: "remove the first " + name, Edits: []diag.Edit{d.removed(first)}},
	}
}

// content returns the value of a field without its blanks.
func (d *decoder) content(f *text.Field) string {
	if f.Value == nil {
		return ""
	}
	return strings.Join(strings.Fields(d.doc.File.Slice(f.Value.Span())), " ")
}

// apart reports whether two blocks have no field of the same name.
func apart(a, b *text.Message) bool {
	names := map[string]bool{}
	for _, f := range a.Fields {
		names[f.Name.Text] = true
	}
	for _, f := range b.Fields {
		if names[f.Name.Text] {
			return false
		}
	}
	return true
}

// joined appends the content of a block to that of another one.
func (d *decoder) joined(into, from *text.Message) diag.Edit {
	content := strings.TrimSpace(d.doc.File.Slice(text.Span{Start: from.Open.Span.End, End: from.Close.Span.Start}))
	last := into.Fields[len(into.Fields)-1]
	at, gap := last.Span().End, " "
	if last.Separator.Present() {
		at = last.Separator.Span.End
	}
	line, _ := d.doc.File.Position(last.Name.Span().Start)
	if before := d.doc.File.Slice(text.Span{Start: d.doc.File.LineSpan(line).Start, End: last.Name.Span().Start}); strings.TrimSpace(before) == "" {
		line, _ = d.doc.File.Position(at)
		at, gap = d.doc.File.LineSpan(line).End, "\n"+before
	}
	if gap == " " && strings.Contains(content, "#") {
		content += "\n"
	}
	return diag.Edit{Span: text.Span{Start: at, End: at}, New: gap + content}
}

// removed removes a field, with its lines if nothing else is on them.
func (d *decoder) removed(f *text.Field) diag.Edit {
	span := f.Span()
	if f.Separator.Present() {
		span = span.Join(f.Separator.Span)
	}
	file := d.doc.File
	first, _ := file.Position(span.Start)
	last, _ := file.Position(span.End)
	lines := text.Span{Start: file.LineSpan(first).Start, End: file.LineSpan(last).End}
	if strings.TrimSpace(file.Slice(text.Span{Start: lines.Start, End: span.Start})+file.Slice(text.Span{Start: span.End, End: lines.End})) != "" {
		return diag.Edit{Span: span}
	}
	if last < file.Lines() {
		lines.End = file.LineSpan(last + 1).Start
	}
	return diag.Edit{Span: lines}
}
