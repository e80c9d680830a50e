package modelconfig

import (
	"fmt"

	"google.golang.org/protobuf/reflect/protoreflect"

	"conch/configedit/diag"
	"conch/configedit/text"
)

// block is the probable meaning of a value in a place for fields in braces.
type block struct {
	text string
	// certain means that no other meaning is possible.
	certain bool
}

// blockFor finds the block for a value of a message field. It returns false if no block is likely.
func (d *decoder) blockFor(fd protoreflect.FieldDescriptor, v text.Value) (block, bool) {
	switch v := v.(type) {
	case *text.Scalar:
		if len(v.Parts) == 1 {
			return d.blockOf(fd, v)
		}
	case *text.List:
		if only := onlyField(fd.Message()); only != nil && only.IsList() && v.Close.Present() {
			return block{fmt.Sprintf("{ %s: %s }", only.Name(), d.doc.File.Slice(v.Span())), true}, true
		}
	}
	return block{}, false
}

func (d *decoder) blockOf(fd protoreflect.FieldDescriptor, v *text.Scalar) (block, bool) {
	desc, content := fd.Message(), d.doc.File.Slice(v.Span())
	word := text.Unquote(d.doc.Text(v.Parts[0]))
	only := onlyField(desc)
	switch inner := desc.Fields().ByName(protoreflect.Name(word)); {
	case desc.FullName() == "inference.ModelParameter":
		if v.Kind() != text.String {
			content = text.Quote(content)
		}
		return block{"{ string_value: " + content + " }", true}, true
	case inner != nil && inner.Message() != nil:
		return block{fmt.Sprintf("{ %s { } }", word), inner.Message().Fields().Len() == 0}, true
	case word == "true":
		return switchedOn(fd), true
	case only != nil && only.Message() == nil && d.takes(only, content):
		return block{fmt.Sprintf("{ %s: %s }", only.Name(), content), true}, true
	}
	return block{}, false
}

// switchedOn returns the block that switches a feature on.
func switchedOn(fd protoreflect.FieldDescriptor) block {
	fields := fd.Message().Fields()
	for i := range fields.Len() {
		if f := fields.Get(i); f.Kind() == protoreflect.BoolKind && (f.Name() == "enable" || fields.Len() == 1) {
			return block{fmt.Sprintf("{ %s: true }", f.Name()), true}
		}
	}
	return block{"{ }", fd.Name() == "dynamic_batching"}
}

// onlyField is the field of a message that has a single one, else nil.
func onlyField(desc protoreflect.MessageDescriptor) protoreflect.FieldDescriptor {
	if desc == nil || desc.Fields().Len() != 1 {
		return nil
	}
	return desc.Fields().Get(0)
}

// notMessage reports a scalar or a nested list where a message belongs.
func (d *decoder) notMessage(fd protoreflect.FieldDescriptor, v text.Value) {
	index := d.doc.TokenAt(v.Span().Start)
	report := diag.Diagnostic{
		Code: CodeType, Span: v.Span(),
		Message: fmt.Sprintf("%s wants fields in braces, not %s", fd.Name(), shown(d.doc, v.Span())),
		Triton:  d.sentence(index, "Expected \"{\", found \"%s\".", d.doc.Text(d.doc.Tokens[index])),
	}
	if d.doc.File.Slice(v.Span()) == "false" {
		report.Message += fmt.Sprintf("; without %s it is off", fd.Name())
	}
	d.offer(&report, fd, v)
	d.add(report)
}

// offer adds to a report how a value is written as a block.
func (d *decoder) offer(report *diag.Diagnostic, fd protoreflect.FieldDescriptor, v text.Value) {
	b, ok := d.blockFor(fd, v)
	if !ok {
		return
	}
	report.Message = fmt.Sprintf("%s is written %s", fd.Name(), b.text)
	if fd.Message().FullName() == "inference.ModelParameter" {
		report.Message = "the value of a parameter is written " + b.text
	}
	report.Fixes = replace("write "+b.text, v.Span(), b.text)
	if b.certain {
		diag.Safely(report.Fixes)
	}
}

// listForOne reports a list where one value belongs.
func (d *decoder) listForOne(f *text.Field, fd protoreflect.FieldDescriptor, list *text.List) {
	d.skip(f.Value)
	report := diag.Diagnostic{
		Code: CodeType, Span: list.Open.Span,
		Message: fmt.Sprintf("%s takes one value, not a list", fd.Name()),
		Triton:  d.refusalAt(d.doc.TokenAt(list.Open.Span.Start), fd),
	}
	if !f.Colon.Present() && fd.Message() == nil {
		report.Triton = d.sentence(afterName(f), "Expected \":\", found \"[\".")
	}
	if fd.Message() != nil {
		d.offer(&report, fd, list)
	}
	switch {
	case len(report.Fixes) > 0:
	case unbracketed(list):
		report.Span, report.Message = list.Span(), fmt.Sprintf("%s takes one value, not several", fd.Name())
		d.sayInstead(list.Span().Start)
	case len(list.Elements) == 1 && list.Elements[0].Value != nil:
		report.Fixes = d.unpack(list)
	}
	d.add(report)
}

// sayInstead drops the diagnostic of package text at an offset.
func (d *decoder) sayInstead(off int) {
	if d.instead == nil {
		d.instead = map[int]bool{}
	}
	d.instead[off] = true
}

// unbracketed reports whether a list has no brackets, which package text has reported.
func unbracketed(list *text.List) bool { return list.Open.Span.IsEmpty() && !list.Close.Present() }

// unpack removes the brackets of a list of one element.
func (d *decoder) unpack(list *text.List) []diag.Fix {
	element := list.Elements[0].Value.Span()
	before := text.Span{Start: list.Open.Span.Start, End: element.Start}
	after := text.Span{Start: element.End, End: list.Span().End}
	fixes := []diag.Fix{{Title: "remove the brackets", Edits: []diag.Edit{{Span: before}, {Span: after}}}}
	if d.blank(before, "[") && d.blank(after, "]") {
		return diag.Safely(fixes)
	}
	return fixes
}

// blank reports whether a span holds a bracket and blanks alone.
func (d *decoder) blank(span text.Span, bracket string) bool {
	for _, b := range d.doc.File.Slice(span) {
		if b != rune(bracket[0]) && b != ' ' && b != '\t' && b != '\n' && b != '\r' {
			return false
		}
	}
	return true
}
