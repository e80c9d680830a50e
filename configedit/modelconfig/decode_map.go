package modelconfig

import (
	"google.golang.org/protobuf/reflect/protoreflect"

	"conch/configedit/text"
)

// mapEntry is one { key: … value: … } being read.
type mapEntry struct {
	fd         protoreflect.FieldDescriptor
	key, value protoreflect.Value
	// given tells of key and value whether they were met, to report repetition.
	given [2]bool
	bad   bool
}

// entry reads one entry of a map. A missing key or value is its type's default;
// of two entries with one key the last counts, as in C++.
func (d *decoder) entry(s scope, fd protoreflect.FieldDescriptor, v text.Value) {
	tree, ok := d.messageValue(fd, v)
	if !ok {
		return
	}
	target := s.msg.Mutable(fd).Map()
	e := &mapEntry{fd: fd, key: fd.MapKey().Default(), value: target.NewValue()}
	for _, f := range tree.Fields {
		d.entryField(e, tree, f)
	}
	if e.bad {
		d.skip(v)
		return
	}
	if target.Has(e.key.MapKey()) {
		d.sameKey(s, fd, tree, e.key)
	}
	target.Set(e.key.MapKey(), e.value)
}

func (d *decoder) entryField(e *mapEntry, tree *text.Message, f *text.Field) {
	if f.Name.Extension {
		d.extensionOf(e.fd.Message(), f)
		return
	}
	fd := e.fd.Message().Fields().ByName(protoreflect.Name(f.Name.Text))
	switch {
	case fd == nil:
		d.unknownOf("an entry of "+string(e.fd.Name()), e.fd.Message(), f)
	case e.given[fd.Index()]:
		d.repeated(scope{name: "an entry of " + string(e.fd.Name()), tree: tree}, f)
		d.skip(f.Value)
	default:
		e.given[fd.Index()] = true
		d.entryValue(e, f, fd)
	}
}

func (d *decoder) entryValue(e *mapEntry, f *text.Field, fd protoreflect.FieldDescriptor) {
	if f.Value == nil {
		d.hintMissing(f, fd)
		e.bad = e.bad || fd.Name() == "key"
		return
	}
	if list, ok := f.Value.(*text.List); ok {
		d.listForOne(f, fd, list)
		e.bad = true
		return
	}
	if fd.Message() != nil {
		if tree, ok := d.messageValue(fd, f.Value); ok {
			d.message(scope{name: string(e.fd.Name()), tree: tree, msg: e.value.Message()})
		}
		return
	}
	if !f.Colon.Present() {
		d.colonless(f, fd)
	}
	value, ok := d.scalarValue(fd, f.Value)
	switch {
	case !ok:
		e.bad = e.bad || fd.Name() == "key"
	case fd.Name() == "key":
		e.key = value
	default:
		e.value = value
	}
}
