package jsondoc

import (
	"bytes"

	"conch/engine/kserve/repeated"
)

// Known parses texts that come again and again once. Safe for concurrent use.
type Known struct{ texts *repeated.Texts[Value] }

// NewKnown returns one that knows no text.
func NewKnown() *Known { return &Known{repeated.NewTexts[Value]()} }

// Find returns what was parsed of a text that is kept, otherwise nil.
func (k *Known) Find(src []byte) *Value { return k.texts.Find(src) }

// ParseWithin does what the function of that name does, for a text that is not kept yet.
func (k *Known) ParseWithin(src []byte, grow func(bytes int64) error) (*Value, error) {
	if !k.texts.Again(src) {
		return ParseWithin(src, grow)
	}
	text := bytes.Clone(src)
	doc, err := parseWithin(text, grow, true)
	if err != nil {
		return nil, err
	}
	k.texts.Keep(text, doc)
	return doc, nil
}
