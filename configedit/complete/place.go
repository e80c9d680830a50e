package complete

import (
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"conch/configedit/check"
	"conch/configedit/diag"
	"conch/configedit/modelconfig"
	"conch/configedit/text"
)

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

// below reports whether a field's value begins on a later line than its colon.
func (p *place) below(f *text.Field) bool {
	between := diag.Span{Start: f.Colon.Span.End, End: f.Value.Span().Start}
	return f.Colon.Present() && strings.Contains(p.m.Decoded.File.Slice(between), "\n")
}

// word returns the span that an item replaces.
func (p *place) word() diag.Span {
	switch {
	case p.at.Place == text.PlaceValue && p.at.Scalar != nil:
		return p.at.Scalar.Span()
	case p.at.Place == text.PlaceName && p.at.Token.Kind == text.Identifier:
		return p.at.Token.Span
	}
	return diag.Span{Start: p.offset, End: p.offset}
}

// around returns the message n levels above the innermost one, or nil.
func (p *place) around(n int) *text.Message {
	i := len(p.at.Messages) - 1 - n
	if i < 0 {
		return nil
	}
	return p.at.Messages[i]
}

// valueOf returns the string value of a field of a message, or "".
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

// keys are the keys of a step's map, but for the one at the place.
func (p *place) keys(step *text.Message, field string) map[string]bool {
	keys := map[string]bool{}
	if step == nil {
		return keys
	}
	for _, f := range step.Fields {
		if entry, ok := f.Value.(*text.Message); ok && f.Name.Text == field && entry != p.at.Message() {
			keys[p.valueOf(entry, "key")] = true
		}
	}
	return keys
}
