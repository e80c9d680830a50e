package modelconfig

import (
	"fmt"

	"google.golang.org/protobuf/reflect/protoreflect"

	"conch/configedit/diag"
	"conch/configedit/text"
)

// mapEntry is one { key: … value: … } being read.
type mapEntry struct {
	fd         protoreflect.FieldDescriptor
	key, value protoreflect.Value
	// given marks whether key and value were already read, to report repetition.
	given [2]bool
	bad   bool
}

// entry reads one entry of a map. A missing key or value is its type's default;
// of two entries with one key, the last one counts, as in C++.
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
	case fd == nil && d.quotedName(f):
		d.asJSON(e, tree, f)
		e.bad = true
	case fd == nil:
		d.unknownOf("an entry of "+string(e.fd.Name()), e.fd.Message(), f)
		if fd = d.certainField(e.fd.Message(), tree, f); fd != nil {
			e.given[fd.Index()] = true
			d.entryValue(e, f, fd)
		}
	case e.given[fd.Index()]:
		d.repeated(scope{name: "an entry of " + string(e.fd.Name()), tree: tree}, f)
		d.skip(f.Value)
	default:
		e.given[fd.Index()] = true
		d.entryValue(e, f, fd)
	}
}

func (d *decoder) quotedName(f *text.Field) bool {
	return !f.Name.Extension && f.Name.Tokens[0].Kind == text.String && f.Value != nil
}

// asJSON reports an entry that is written as in JSON, "key": "value".
func (d *decoder) asJSON(e *mapEntry, tree *text.Message, f *text.Field) {
	key, value := d.doc.File.Slice(f.Name.Span()), d.doc.File.Slice(f.Value.Span())
	of := e.fd.MapValue()
	if of.Message() != nil {
		if b, ok := d.blockFor(of, f.Value); ok {
			value = b.text
		}
	}
	entry := "key: " + key + " value: " + value
	report := diag.Diagnostic{
		Code: CodeType, Span: f.Span(),
		Message: fmt.Sprintf("an entry of %s is written { %s }", e.fd.Name(), entry),
		Triton:  d.sentence(f.Name.Index, "Expected identifier, got: %s", key),
	}
	if len(tree.Fields) == 1 {
		report.Fixes = replace("write "+entry, f.Span(), entry)
	}
	d.sayInstead(f.Name.Span().Start)
	d.add(report)
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
