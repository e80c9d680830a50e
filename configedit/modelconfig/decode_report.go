package modelconfig

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"conch/configedit/diag"
	"conch/configedit/text"
)

// maxReports bounds the diagnostics of one file, as in package text.
const maxReports = 100

// full reports whether the list of diagnostics is full.
func (d *decoder) full() bool { return len(d.list) >= maxReports }

func (d *decoder) add(report diag.Diagnostic) {
	if d.full() {
		d.unlisted++
		return
	}
	report = report.Shortened()
	report.Message = strings.ToValidUTF8(report.Message, "\ufffd")
	d.list = append(d.list, report)
}

// tellUnlisted adds to the last diagnostic how many others are not listed.
func (d *decoder) tellUnlisted() {
	if d.unlisted == 0 {
		return
	}
	last := &d.list[len(d.list)-1]
	last.Unlisted = d.unlisted
	if d.unlisted == 1 {
		last.Message += "; 1 more mistake of this file is not listed"
		return
	}
	last.Message += fmt.Sprintf("; %d more mistakes of this file are not listed", d.unlisted)
}

// sentence returns a line of Triton's log about the token at an index. It
// returns "" if nobody will read it, because finding the column takes time.
func (d *decoder) sentence(index int, format string, args ...any) string {
	if d.full() {
		return ""
	}
	return d.doc.File.Sentence(d.doc.Tokens[index].Span.Start, fmt.Sprintf(format, args...))
}

func replace(title string, span text.Span, with string) []diag.Fix {
	return []diag.Fix{{Title: title, Edits: []diag.Edit{{Span: span, New: with}}}}
}

// afterName returns the index of the token after a field's name. There the C++
// parser is when it complains about the field.
func afterName(f *text.Field) int { return f.Name.Index + len(f.Name.Tokens) }

func (d *decoder) unknown(s scope, f *text.Field) {
	d.unknownOf(s.name, s.msg.Descriptor(), f)
}

func (d *decoder) unknownOf(owner string, desc protoreflect.MessageDescriptor, f *text.Field) {
	name := f.Name.Text
	if f.Value == nil && !f.Colon.Present() {
		d.addHint(f.Name.Span().Start, afterName(f), unknownField, desc.FullName(), name)
		return // an unfinished word, which package text has reported
	}
	if d.full() {
		d.unlisted++
		return
	}
	report := diag.Diagnostic{
		Code: CodeUnknownField, Span: f.Name.Span(),
		Message: fmt.Sprintf("%s has no field %q", owner, name),
		Triton:  d.sentence(afterName(f), unknownField, desc.FullName(), name),
	}
	guess := suggestField(desc, name)
	where := holders(desc, name)
	d.decoded.unknown[f.Name.Span().Start] = unknown{owner: desc, value: f.Value, guess: guess, misplaced: guess == "" && len(where) > 0}
	if guess != "" {
		report.Message += fmt.Sprintf("; did you mean %s?", guess)
		report.Fixes = replace("replace "+name+" by "+guess, f.Name.Span(), guess)
		if certain(name, guess, fieldNames(desc)) {
			diag.Safely(report.Fixes)
		}
	} else if len(where) > 0 {
		report.Message += "; it belongs in " + strings.Join(where, " or ")
	}
	d.add(report)
}

// certainField returns the field that a misspelt name certainly means, so that the field is not reported as missing too.
// It returns nil if that is not certain, or if the message also has that field and takes it only once.
func (d *decoder) certainField(desc protoreflect.MessageDescriptor, tree *text.Message, f *text.Field) protoreflect.FieldDescriptor {
	meant := suggestField(desc, f.Name.Text)
	if f.Value == nil || meant == "" || !certain(f.Name.Text, meant, fieldNames(desc)) {
		return nil
	}
	fd := desc.Fields().ByName(protoreflect.Name(meant))
	if fd.Cardinality() != protoreflect.Repeated && slices.ContainsFunc(tree.Fields, func(other *text.Field) bool { return other.Name.Text == meant }) {
		return nil
	}
	if d.decoded.renamed == nil {
		d.decoded.renamed = map[*text.Field]string{}
	}
	d.decoded.renamed[f] = meant
	return fd
}

func (d *decoder) extension(s scope, f *text.Field) { d.extensionOf(s.msg.Descriptor(), f) }

func (d *decoder) extensionOf(desc protoreflect.MessageDescriptor, f *text.Field) {
	d.add(diag.Diagnostic{
		Code: CodeExtension, Span: f.Name.Span(),
		Message: "names in brackets mean extensions of the schema, and it has none",
		Triton:  d.sentence(afterName(f), unknownExtends, f.Name.Text, desc.FullName()),
	})
}

func (d *decoder) clash(s scope, f *text.Field, other protoreflect.FieldDescriptor) {
	name := f.Name.Text
	d.add(diag.Diagnostic{
		Code: CodeOneof, Span: f.Name.Span(),
		Message: fmt.Sprintf("%s and %s exclude each other; %s takes only one of them", name, other.Name(), s.name),
		Triton: d.sentence(afterName(f), secondOfOneof,
			name, other.Name(), other.ContainingOneof().Name()),
		Related: d.earlier(s, string(other.Name()), "given here"),
	})
}

func (d *decoder) earlier(s scope, name, message string) []diag.Related {
	if d.full() {
		return nil
	}
	for _, f := range s.tree.Fields {
		if f.Name.Text == name && !d.decoded.skipped[f.Value] {
			return []diag.Related{{Span: f.Name.Span(), Message: message}}
		}
	}
	return nil
}

func (d *decoder) sameKey(s scope, fd protoreflect.FieldDescriptor, tree *text.Message, key protoreflect.Value) {
	d.add(diag.Diagnostic{
		Severity: diag.Warning, Code: CodeMapKey, Span: keySpan(tree),
		Message: fmt.Sprintf("%s has the key %q twice; the last one counts", fd.Name(), key.String()),
	})
}

func keySpan(tree *text.Message) text.Span {
	for _, f := range tree.Fields {
		if f.Name.Text == "key" && f.Value != nil {
			return f.Value.Span()
		}
	}
	return tree.Open.Span
}

func (d *decoder) notUTF8(fd protoreflect.FieldDescriptor, node *text.Scalar) {
	d.add(diag.Diagnostic{
		Severity: diag.Warning, Code: CodeUTF8, Span: node.Span(),
		Message: fmt.Sprintf("%s is not valid UTF-8; Triton takes it and then shows an empty string", fd.Name()),
	})
}
