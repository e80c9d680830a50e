package modelconfig

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"conch/configedit/diag"
	"conch/configedit/text"
)

// refused reports a scalar that is not of its field's type.
func (d *decoder) refused(fd protoreflect.FieldDescriptor, node *text.Scalar, no *refusal) {
	if node.Parts[0].Flaw {
		return // the tokenizer has spoken
	}
	if d.full() {
		d.unlisted++
		return
	}
	report := diag.Diagnostic{
		Code: CodeType, Span: node.Span(),
		Message: fmt.Sprintf("%s wants %s, not %s", fd.Name(), wanted(fd), shown(d.doc, node.Span())),
		Triton:  d.sentence(no.index, "%s", no.sentence),
		Fixes:   d.repair(fd, node),
	}
	switch no.reason {
	case unknownWord:
		report.Code = CodeEnum
		report.Message = fmt.Sprintf("%s is not a known %s", d.doc.Text(node.Parts[0]), enumNoun(fd))
		if guess := suggestEnum(fd.Enum(), d.doc.Text(node.Parts[0])); guess != "" {
			report.Message += fmt.Sprintf("; did you mean %s?", guess)
		}
	case outOfRange:
		report.Code = CodeRange
		report.Message = fmt.Sprintf("%s is out of range for %s, which wants %s",
			shown(d.doc, node.Span()), fd.Name(), wanted(fd))
	}
	d.add(report)
}

// shown returns a piece of the file as a message quotes it.
func shown(doc *text.Document, span text.Span) string {
	const most = 40
	s := doc.File.Slice(span)
	if len(s) > most || strings.ContainsAny(s, "\n\r") {
		return "this"
	}
	return s
}

// wanted describes the values that a scalar field takes.
func wanted(fd protoreflect.FieldDescriptor) string {
	switch fd.Kind() {
	case protoreflect.StringKind:
		return "a string in quotes"
	case protoreflect.BoolKind:
		return "true or false"
	case protoreflect.EnumKind:
		if fd.Enum().FullName() == "inference.DataType" {
			return "a word such as TYPE_FP32"
		}
		return "a word such as " + string(fd.Enum().Values().Get(fd.Enum().Values().Len()-1).Name())
	case protoreflect.FloatKind, protoreflect.DoubleKind:
		return "a decimal number"
	case protoreflect.Int32Kind:
		return "a whole number of at most 32 bits"
	case protoreflect.Uint32Kind:
		return "a whole number from 0 on, of at most 32 bits"
	case protoreflect.Uint64Kind:
		return "a whole number from 0 on"
	}
	return "a whole number"
}

func enumNoun(fd protoreflect.FieldDescriptor) string {
	return strings.ReplaceAll(string(fd.Name()), "_", " ")
}

// meant returns the probable meaning of a wrong scalar, or "", and whether it is certain.
func (d *decoder) meant(fd protoreflect.FieldDescriptor, node *text.Scalar) (guess string, certain bool) {
	word := d.doc.Text(node.Parts[0])
	bare := strings.Trim(word, `"'`)
	switch {
	case len(node.Parts) > 1 || node.Parts[0].Flaw:
		return "", false
	case fd.Kind() == protoreflect.StringKind:
		return text.Quote(d.doc.File.Slice(node.Span())), true
	case fd.Kind() == protoreflect.EnumKind:
		guess = suggestEnum(fd.Enum(), bare)
		return guess, certainEnum(fd.Enum(), bare, guess)
	case fd.Kind() == protoreflect.BoolKind:
		return boolAliases[strings.ToLower(bare)], true
	}
	return d.repairNumber(fd, node, bare), true
}

// repair offers the probable meaning of a wrong scalar.
func (d *decoder) repair(fd protoreflect.FieldDescriptor, node *text.Scalar) []diag.Fix {
	guess, certain := d.meant(fd, node)
	if guess == "" {
		return nil
	}
	fixes := replace(fmt.Sprintf("replace %s by %s", shown(d.doc, node.Span()), guess), node.Span(), guess)
	if certain {
		return diag.Safely(fixes)
	}
	return fixes
}

// certainly returns the value that a wrong scalar certainly means, so that it is not reported as missing too.
func (d *decoder) certainly(fd protoreflect.FieldDescriptor, node *text.Scalar) (protoreflect.Value, bool) {
	guess, certain := d.meant(fd, node)
	if guess == "" || !certain {
		return protoreflect.Value{}, false
	}
	return read(fd, guess)
}

var boolAliases = map[string]string{
	"true": "true", "yes": "true", "on": "true", "1": "true", "y": "true", "t": "true",
	"false": "false", "no": "false", "off": "false", "0": "false", "n": "false", "f": "false",
}

// repairNumber removes quotes and an empty fraction from a number.
func (d *decoder) repairNumber(fd protoreflect.FieldDescriptor, node *text.Scalar, bare string) string {
	if fd.Kind() != protoreflect.FloatKind && fd.Kind() != protoreflect.DoubleKind {
		whole, fraction, _ := strings.Cut(bare, ".")
		if strings.Trim(fraction, "0") != "" {
			return ""
		}
		bare = whole
	}
	sign := ""
	if node.Minus.Present() {
		sign = "-"
	}
	if !d.takes(fd, sign+bare) {
		return ""
	}
	return sign + bare
}

// takes reports whether a field would take a text as its value.
func (d *decoder) takes(fd protoreflect.FieldDescriptor, value string) bool {
	_, ok := read(fd, value)
	return ok
}

// read returns the value that a field reads from a text.
func read(fd protoreflect.FieldDescriptor, value string) (protoreflect.Value, bool) {
	doc, list := text.Parse(text.NewFile("", []byte("x: "+value)))
	if len(list) > 0 || len(doc.Tokens) < 4 {
		return protoreflect.Value{}, false
	}
	r := reader{doc: doc, pos: 2}
	v, no := r.scalar(fd)
	return v, no == nil && r.looking(text.EOF)
}

const noColon = "Expected \":\", found \"%s\"."

// colonless reports a bracket where the colon of a scalar belongs. Where a
// scalar follows, package text has reported it.
func (d *decoder) colonless(f *text.Field, fd protoreflect.FieldDescriptor) {
	index := afterName(f)
	if _, scalar := f.Value.(*text.Scalar); scalar {
		d.addHint(f.Name.Span().Start, index, noColon, d.doc.Text(d.doc.Tokens[index]))
		return
	}
	if _, message := f.Value.(*text.Message); message {
		return // the value is wrong as well; that is said
	}
	at := f.Name.Span().End
	d.add(diag.Diagnostic{
		Code: text.CodeColon, Span: f.Name.Span(),
		Message: fmt.Sprintf("the colon between %s and its values is missing", fd.Name()),
		Triton:  d.sentence(index, noColon, d.doc.Text(d.doc.Tokens[index])),
		Fixes:   diag.Safely(replace("insert the colon", text.Span{Start: at, End: at}, ":")),
	})
}

// notScalar reports a message or a nested list where a scalar belongs.
func (d *decoder) notScalar(fd protoreflect.FieldDescriptor, v text.Value) {
	d.pos = d.doc.TokenAt(v.Span().Start)
	opening := d.current()
	_, no := d.scalar(fd)
	if d.pos > 0 && no != nil && d.colonMissing(fd) {
		no.sentence = fmt.Sprintf("Expected \":\", found \"%s\".", d.doc.Text(opening))
	}
	d.add(diag.Diagnostic{
		Code: CodeType, Span: opening.Span,
		Message: fmt.Sprintf("%s wants %s, not %s", fd.Name(), wanted(fd), bracketNoun(v)),
		Triton:  d.sentence(d.pos, "%s", no.sentence),
	})
}

// colonMissing reports whether the name of the field stands right before the
// current token.
func (d *decoder) colonMissing(fd protoreflect.FieldDescriptor) bool {
	before := d.doc.Tokens[d.pos-1]
	return before.Kind == text.Identifier && d.doc.Text(before) == string(fd.Name())
}

func bracketNoun(v text.Value) string {
	if _, ok := v.(*text.List); ok {
		return "a list"
	}
	return "something in braces"
}

// refusalAt returns what the C++ parser says when it reads the value of a field
// at a token, or "" if it takes the value.
func (d *decoder) refusalAt(index int, fd protoreflect.FieldDescriptor) string {
	d.pos = index
	if fd.Message() != nil {
		if d.lookingAt("{") || d.lookingAt("<") {
			return ""
		}
		return d.sentence(index, "Expected \"{\", found \"%s\".", d.word())
	}
	_, no := d.scalar(fd)
	if no == nil {
		return ""
	}
	return d.sentence(no.index, "%s", no.sentence)
}

// hintEquals adds Triton's sentence for = in place of the colon.
func (d *decoder) hintEquals(f *text.Field, fd protoreflect.FieldDescriptor) {
	if !f.Colon.Present() || d.doc.File.Text()[f.Colon.Span.Start] != '=' {
		return
	}
	want := ":"
	if fd.Message() != nil {
		want = "{"
	}
	d.addHint(f.Colon.Span.Start, afterName(f), "Expected \"%s\", found \"=\".", want)
}

func (d *decoder) hint(at, index int, fd protoreflect.FieldDescriptor) {
	if len(d.hints) < maxReports {
		d.hints[at] = d.refusalAt(index, fd)
	}
}

// addHint keeps a sentence, as many as package text gives diagnostics.
func (d *decoder) addHint(at, index int, format string, args ...any) {
	if len(d.hints) < maxReports {
		d.hints[at] = d.sentence(index, format, args...)
	}
}

// hintMissing adds Triton's sentence for a field without a value.
func (d *decoder) hintMissing(f *text.Field, fd protoreflect.FieldDescriptor) {
	index := afterName(f)
	if f.Colon.Present() {
		index++
	} else if fd.Message() == nil {
		d.addHint(f.Name.Span().Start, index, noColon, d.doc.Text(d.doc.Tokens[index]))
		return
	}
	d.hint(f.Name.Span().Start, index, fd)
	if len(f.Junk) > 0 {
		d.hint(f.Junk[0].Span.Start, index, fd)
	}
}

func (d *decoder) hintElement(list *text.List, i int, fd protoreflect.FieldDescriptor) {
	e := list.Elements[i]
	at := e.Comma.Span.Start
	if len(e.Junk) > 0 {
		at = e.Junk[0].Span.Start
	}
	d.hint(at, d.doc.TokenAt(at), fd)
}
