package modelconfig

import (
	"fmt"

	"google.golang.org/protobuf/reflect/protoreflect"

	"conch/configedit/text"
)

// Span is the place of a value in the file. A path names fields by string,
// elements of repeated fields by int, map entries by key, and in an entry "key"
// or "value":
//
//	d.Span("input", 0, "dims", 1)
//	d.Span("ensemble_scheduling", "step", 0, "input_map", "image", "value")
//
// A step from a map key to anything but "key" goes into the value. What the
// file does not hold gets the nearest enclosing thing that exists: the name of
// the field around it, the opening brace of a list element, or the first line
// for a field of the config.
func (d *Decoded) Span(path ...any) text.Span {
	p, ok := d.find(path)
	if !ok {
		return d.nearest(p)
	}
	return p.value.Span()
}

// NameSpan is the place of the name of the field that holds the value, with the
// same substitutes as Span for absent values.
func (d *Decoded) NameSpan(path ...any) text.Span {
	p, ok := d.find(path)
	if !ok {
		return d.nearest(p)
	}
	return p.field.Name.Span()
}

// FieldSpan is the place of the whole field that holds the value, name
// included, with the same substitutes as Span for absent values.
func (d *Decoded) FieldSpan(path ...any) text.Span {
	p, ok := d.find(path)
	if !ok {
		return d.nearest(p)
	}
	return p.field.Span()
}

// Has reports whether the file holds the value. It distinguishes
// "max_batch_size: 0" from an absent field.
func (d *Decoded) Has(path ...any) bool {
	_, ok := d.find(path)
	return ok
}

// Node returns the tree's node of a value, or nil if the file does not hold it.
func (d *Decoded) Node(path ...any) text.Value {
	p, ok := d.find(path)
	if !ok {
		return nil
	}
	return p.value
}

// Field returns the field that holds a value, or nil if the file does not hold it.
func (d *Decoded) Field(path ...any) *text.Field {
	p, ok := d.find(path)
	if !ok {
		return nil
	}
	return p.field
}

// spot is a value with the field it belongs to; in a list, several values share
// one field. The zero spot stands for the whole config.
type spot struct {
	field *text.Field
	value text.Value
}

// nearest returns the place to point at for an absent value inside a spot.
func (d *Decoded) nearest(p spot) text.Span {
	if p.field == nil {
		return d.File.LineSpan(1)
	}
	if m, ok := p.value.(*text.Message); ok && p.field.Value != p.value {
		return m.Open.Span
	}
	return p.field.Name.Span()
}

// find walks a path. If the value is absent, it returns the last spot that exists and false.
func (d *Decoded) find(path []any) (spot, bool) {
	at := spot{}
	tree, desc := d.Doc.Root, d.Config.ProtoReflect().Descriptor()
	for len(path) > 0 {
		if desc.IsMapEntry() && path[0] != "key" && path[0] != "value" {
			path = append([]any{"value"}, path...)
		}
		name, _ := path[0].(string)
		fd := desc.Fields().ByName(protoreflect.Name(name))
		if fd == nil {
			return at, false
		}
		found := d.siblings(tree, name)
		if len(found.all) == 0 {
			return at, false
		}
		path = path[1:]
		next, used, ok := d.choose(fd, found, path)
		if !ok {
			return next, false
		}
		at, path = next, path[used:]
		if len(path) == 0 {
			return at, true
		}
		message, ok := at.value.(*text.Message)
		if !ok {
			return at, false
		}
		tree, desc = message, fd.Message()
	}
	return at, false
}

// choose picks the value the path goes on with, and returns how many steps of
// the path that took.
func (d *Decoded) choose(fd protoreflect.FieldDescriptor, found *siblings, path []any) (spot, int, bool) {
	whole := spot{found.all[0].field, found.all[0].field.Value}
	if (fd.IsList() || fd.IsMap()) && len(path) == 0 {
		return whole, 0, true
	}
	if fd.IsMap() {
		if entry, ok := found.entry(d.Doc, fd, fmt.Sprint(path[0])); ok {
			return entry, 1, true
		}
		return whole, 0, false
	}
	kept := found.kept
	if fd.IsList() {
		if i, ok := path[0].(int); ok && i >= 0 && i < len(kept) {
			return kept[i], 1, true
		}
		return whole, 0, false
	}
	if len(kept) == 0 {
		return whole, 0, len(path) == 0
	}
	return kept[len(kept)-1], 0, true
}

// keyOf is the key of a map entry, as text.
func keyOf(doc *text.Document, entry text.Value, fd protoreflect.FieldDescriptor) string {
	m, ok := entry.(*text.Message)
	if !ok {
		return ""
	}
	for _, f := range m.Fields {
		node, ok := f.Value.(*text.Scalar)
		if f.Name.Text != "key" || !ok {
			continue
		}
		r := reader{doc: doc, pos: node.Index}
		if v, no := r.scalar(fd); no == nil {
			return v.String()
		}
	}
	return fd.Default().String()
}
