package complete

import (
	"conch/configedit/check"
	"conch/configedit/diag"
	"conch/configedit/text"
)

// Kind is the kind of text that an item inserts.
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
	// Insert is the text to put in place of Answer.Span; "${}" in it marks where the cursor should go, first to the first
	// one, then with Tab to the next.
	Insert string
}

// Answer lists the items that fit at an offset.
type Answer struct {
	// Span is what an item replaces: the word at the offset, or the empty place there.
	Span  diag.Span
	Items []Item
}

// Complete lists what may be written at a byte offset of the model's text, the most likely first.
func Complete(m *check.Model, offset int, env check.Env) Answer {
	if m.Decoded == nil {
		return Answer{Span: diag.Span{Start: offset, End: offset}, Items: insertions{newPlace(m, env, 0)}.fields()}
	}
	p := newPlace(m, env, offset)
	if p.desc == nil || p.at.Place == text.PlaceComment {
		return Answer{Span: diag.Span{Start: offset, End: offset}}
	}
	if p.at.Place == text.PlaceName {
		return Answer{Span: p.word(), Items: insertions{p}.fields()}
	}
	return Answer{Span: p.word(), Items: values{p}.items()}
}
