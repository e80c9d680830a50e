package complete

import (
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"conch/configedit/check"
	"conch/configedit/diag"
	"conch/configedit/modelconfig"
	"conch/configedit/text"
)

// Kind is what sort of thing an item inserts.
type Kind string

// The kinds of item.
const (
	KindField  Kind = "field"
	KindEnum   Kind = "enum"
	KindModel  Kind = "model"
	KindTensor Kind = "tensor"
	KindValue  Kind = "value"
	KindFile   Kind = "file"
)

// Item is one thing that fits.
type Item struct {
	Label         string
	Kind          Kind
	Detail        string
	Documentation string
	// Insert is the text to put in place of Answer.Span; "${}" in it marks where the cursor should end.
	Insert string
}

// Answer is what fits at an offset.
type Answer struct {
	// Span is what an item replaces: the word at the offset, or the empty place there.
	Span  diag.Span
	Items []Item
}

// Complete lists what may be written at a byte offset of the model's text, the most likely first.
func Complete(m *check.Model, offset int, env check.Env) Answer {
	if m.Decoded == nil {
		return Answer{Span: diag.Span{Start: offset, End: offset}, Items: newPlace(m, env, 0).fields()}
	}
	p := newPlace(m, env, offset)
	if p.desc == nil || p.at.Place == text.PlaceComment {
		return Answer{Span: diag.Span{Start: offset, End: offset}}
	}
	if p.at.Place == text.PlaceName {
		return Answer{Span: p.word(), Items: p.fields()}
	}
	return Answer{Span: p.word(), Items: p.values()}
}

// place is an offset in a text with what the schema says about it.
type place struct {
	m      *check.Model
	env    check.Env
	offset int
	at     text.Context
	// desc is the type of the innermost message around the offset, nil where that is none of the schema's.
	desc protoreflect.MessageDescriptor
	// field is the field whose value is at the offset, nil where there is none.
	field protoreflect.FieldDescriptor
}

func newPlace(m *check.Model, env check.Env, offset int) *place {
	p := &place{m: m, env: env, offset: offset, desc: (&modelconfig.ModelConfig{}).ProtoReflect().Descriptor()}
	if m.Decoded == nil {
		return p
	}
	p.at = m.Decoded.Doc.At(offset)
	for _, name := range p.at.Names() {
		fd := p.desc.Fields().ByName(protoreflect.Name(name))
		if fd == nil || fd.Message() == nil {
			p.desc = nil
			return p
		}
		p.desc = fd.Message()
	}
	p.rethink()
	if p.at.Field != nil {
		p.field = p.desc.Fields().ByName(protoreflect.Name(p.at.Field.Name.Text))
	}
	return p
}

// rethink takes a word on a later line than its colon for what it will be: the beginning of the next field, not
// the value that the field before it still lacks.
func (p *place) rethink() {
	f := p.at.Field
	if p.at.Place != text.PlaceValue || f == nil || f.Value == nil || !p.below(f) {
		return
	}
	if s, ok := f.Value.(*text.Scalar); ok && s.Kind() == text.Identifier && p.at.Scalar == s {
		p.at.Place, p.at.Field, p.at.Scalar = text.PlaceName, nil, nil
	}
}

// below tells whether a field's value begins on a later line than its colon.
func (p *place) below(f *text.Field) bool {
	between := diag.Span{Start: f.Colon.Span.End, End: f.Value.Span().Start}
	return f.Colon.Present() && strings.Contains(p.m.Decoded.File.Slice(between), "\n")
}

// word is the span of what an item replaces.
func (p *place) word() diag.Span {
	switch {
	case p.at.Place == text.PlaceValue && p.at.Scalar != nil:
		return p.at.Scalar.Span()
	case p.at.Place == text.PlaceName && p.at.Token.Kind == text.Identifier:
		return p.at.Token.Span
	}
	return diag.Span{Start: p.offset, End: p.offset}
}

// around is the message that holds the innermost one, n levels up; nil where there is none.
func (p *place) around(n int) *text.Message {
	i := len(p.at.Messages) - 1 - n
	if i < 0 {
		return nil
	}
	return p.at.Messages[i]
}

// valueOf is the string that a field of a message has, "" where it has none.
func (p *place) valueOf(m *text.Message, name string) string {
	if m == nil {
		return ""
	}
	for _, f := range m.Fields {
		scalar, ok := f.Value.(*text.Scalar)
		if !ok || f.Name.Text != name {
			continue
		}
		value := ""
		for _, part := range scalar.Parts {
			if part.Kind == text.String {
				value += text.Unquote(p.m.Decoded.Doc.Text(part))
			}
		}
		return value
	}
	return ""
}
