package modelconfig

import "conch/configedit/text"

// Span is the place of a value in the file. A path names fields by string,
// elements of repeated fields by int, map entries by key, and in an entry "key"
// or "value":
//
//	d.Span("input", 0, "dims", 1)
//	d.Span("ensemble_scheduling", "step", 0, "input_map", "image", "value")
//
// What the file does not hold gets the nearest enclosing thing that exists: the
// name of the field around it, or the first line for a field of the config.
func (d *Decoded) Span(path ...any) text.Span { return text.Span{} }

// NameSpan is the place of the name of the field that holds the value, with the
// same stand-ins as Span for what is absent.
func (d *Decoded) NameSpan(path ...any) text.Span { return text.Span{} }

// FieldSpan is the place of the whole field that holds the value, name
// included, with the same stand-ins as Span for what is absent.
func (d *Decoded) FieldSpan(path ...any) text.Span { return text.Span{} }

// Has tells whether the file holds the value, which tells "max_batch_size: 0"
// from nothing at all.
func (d *Decoded) Has(path ...any) bool { return false }
