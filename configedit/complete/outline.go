package complete

import (
	"fmt"
	"strings"

	"conch/configedit/check"
	"conch/configedit/diag"
	"conch/configedit/modelconfig"
	"conch/configedit/text"
)

// Symbol is a part of a config worth going to.
type Symbol struct {
	// Label is its name: "input image". Detail describes it: "FP32 [-1, 64]".
	Label, Detail string
	// Depth is 0 at the top level of the config.
	Depth int
	// Span covers it from its name to its end.
	Span diag.Span
}

// Outline lists the parts of a config in the order of the text.
func Outline(m *check.Model) []Symbol {
	if m.Decoded == nil {
		return nil
	}
	o := &outline{p: newPlace(m, nil, 0)}
	for _, f := range m.Decoded.Doc.Root.Fields {
		o.field(f)
	}
	return o.list
}

type outline struct {
	p    *place
	list []Symbol
}

func (o *outline) field(f *text.Field) {
	name := f.Name.Text
	elements := messagesIn(f.Value)
	switch {
	case name == "ensemble_scheduling" && len(elements) > 0:
		o.add(Symbol{Label: name, Span: f.Span()})
		o.steps(elements[0])
	case len(elements) == 0:
		o.add(Symbol{Label: name, Detail: o.value(f.Value), Span: f.Span()})
	case len(elements) == 1:
		o.element(name, elements[0], f.Span())
	default:
		for _, e := range elements {
			o.element(name, e, e.Span())
		}
	}
}

// element is one message of a field, called by its name or key if it has one.
func (o *outline) element(field string, m *text.Message, span diag.Span) {
	s := Symbol{Label: field, Span: span}
	for _, key := range []string{"name", "key"} {
		if name := o.p.valueOf(m, key); name != "" {
			s.Label += " " + name
			s.Detail = o.tensor(field, name)
			break
		}
	}
	o.add(s)
}

func (o *outline) tensor(side, name string) string {
	if side != "input" && side != "output" {
		return ""
	}
	for _, t := range tensors(o.p.m.Effective, side) {
		if t.name == name && t.typ != modelconfig.DataType_TYPE_INVALID {
			return typeAndShape(o.p.m.Effective, t)
		}
	}
	return ""
}

// steps are counted from 1, as in messages.
func (o *outline) steps(scheduling *text.Message) {
	number := 1
	for _, f := range scheduling.Fields {
		if f.Name.Text != "step" {
			continue
		}
		for _, step := range messagesIn(f.Value) {
			s := Symbol{Label: fmt.Sprintf("step %d", number), Depth: 1, Span: step.Span()}
			s.Detail = o.p.valueOf(step, "model_name")
			o.add(s)
			number++
		}
	}
}

func (o *outline) add(s Symbol) { o.list = append(o.list, s) }

// longest is the maximal length of a value that is shown beside its field's name.
const longest = 40

// value returns the value of a field, if it fits a line.
func (o *outline) value(v text.Value) string {
	if v == nil || o.p.m.Decoded.Template != nil {
		return "" // of a placeholder, the tree knows the first letter only
	}
	words := strings.Join(strings.Fields(o.p.m.Decoded.File.Slice(v.Span())), " ")
	if len(words) > longest {
		return ""
	}
	return words
}

// messagesIn are the messages that a value is, or lists.
func messagesIn(v text.Value) []*text.Message {
	switch v := v.(type) {
	case *text.Message:
		return []*text.Message{v}
	case *text.List:
		var out []*text.Message
		for _, e := range v.Elements {
			if m, ok := e.Value.(*text.Message); ok {
				out = append(out, m)
			}
		}
		return out
	}
	return nil
}
