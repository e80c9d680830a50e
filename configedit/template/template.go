// Package template recognises configs that are templates: texts in which ${name}, {{ name }}, #name or words such as
// INSERT_NAME and MAX_BATCH stand for what somebody fills in before Triton reads the file. It finds the placeholders,
// fills them, and makes of a template a text of the same length that parses, so that everything else can be checked
// already.
//
// All functions are pure and take time linear in the text.
package template

import (
	"bytes"
	"slices"

	"conch/configedit/diag"
)

// Where is the kind of text that a placeholder stands for.
type Where string

// The places of placeholders.
const (
	InValue Where = "value" // a value: a number, a word, a whole list
	InText  Where = "text"  // a part of a string in quotes
	InBlock Where = "block" // fields, or nothing
)

// Placeholder is one name that someone fills in.
type Placeholder struct {
	Name string
	// Spans are all its places in the text, in order.
	Spans []diag.Span
	// Default is what the template itself gives, as in ${name:-1}.
	Default string
	// Where is what its first place is.
	Where Where
}

// mark is a part of a text that is not config.
type mark struct {
	// span is the placeholder, and whole the word that it is a part of: KIND_${KIND}.
	span, whole diag.Span
	// name is empty for what only steers a template engine, such as {% if … %}.
	name, fallback string
	where          Where
	form           form
}

// Text is a template.
type Text struct {
	src   []byte
	marks []mark
}

// Read finds the certain placeholders. It returns nil if there are none.
func Read(src []byte) *Text {
	if !hasPlain(src) {
		return nil
	}
	return text(src, marks(src, plain, nil))
}

// ReadRefused finds placeholders of all forms in a text that Triton refuses; nil where there are none. numeric tells of
// a field's name whether its values are numbers.
func ReadRefused(src []byte, numeric func(field string) bool) *Text {
	return text(src, marks(src, loose, numeric))
}

func text(src []byte, list []mark) *Text {
	if len(list) == 0 {
		return nil
	}
	return &Text{src: src, marks: list}
}

// Placeholders lists what someone must fill in, by first appearance.
func (t *Text) Placeholders() []Placeholder {
	var list []Placeholder
	known := map[string]int{}
	for _, m := range t.marks {
		if m.name == "" {
			continue
		}
		i, ok := known[m.name]
		if !ok {
			i = len(list)
			known[m.name] = i
			list = append(list, Placeholder{Name: m.name, Where: m.where})
		}
		list[i].Spans = append(list[i].Spans, m.span)
		if list[i].Default == "" {
			list[i].Default = m.fallback
		}
	}
	return list
}

// Fill writes values in place of placeholders; those without a value stay.
func (t *Text) Fill(values map[string]string) []byte {
	var out []byte
	from := 0
	for _, m := range t.marks {
		value, given := values[m.name]
		if !given {
			continue
		}
		out = append(append(out, t.src[from:m.span.Start]...), value...)
		from = m.span.End
	}
	return append(out, t.src[from:]...)
}

// Rounds is the number of different masks. A mistake that all of them have does not depend on the filled-in values.
const Rounds = 4

// Mask makes a text of the same length that parses. A value becomes a number of one digit; what stands for fields or
// steers a template engine becomes blank. In the first round strings stay as they are, so that people see what they
// wrote; in the others each name has its own letters. In the last round each name has a digit of its own, too.
func (t *Text) Mask(round int) []byte {
	out := slices.Clone(t.src)
	known := map[string]int{}
	for _, m := range t.marks {
		if _, ok := known[m.name]; !ok {
			known[m.name] = len(known)
		}
		place := out[m.whole.Start:m.whole.End]
		switch m.where {
		case InText:
			maskText(place, round, known[m.name])
		case InValue:
			blank(place, ' ')
			place[0] = digit(round, known[m.name])
		default:
			blank(place, ' ')
		}
	}
	return out
}

// digit is a power of two, which many fields want and all enumerations have; in the last round it is the name's own.
func digit(round, name int) byte {
	if round == Rounds-1 {
		return byte('1' + name%9)
	}
	return "148"[round]
}

// maskText fills a part of a string with letters that only this name has.
func maskText(b []byte, round, name int) {
	if round == 0 && !bytes.ContainsAny(b, "\"'\\") {
		return
	}
	blank(b, byte('v'+round))
	for i := 0; i < len(b) && name > 0; i++ {
		b[i] = byte('a' + name%26)
		name /= 26
	}
}

// Spans returns the places that a mask covers.
func (t *Text) Spans() []diag.Span {
	var list []diag.Span
	for _, m := range t.marks {
		list = append(list, m.whole)
	}
	return list
}

func blank(b []byte, with byte) {
	for i := range b {
		if b[i] != '\n' {
			b[i] = with
		}
	}
}
