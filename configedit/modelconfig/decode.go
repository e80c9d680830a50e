package modelconfig

import (
	"unicode/utf8"

	"google.golang.org/protobuf/reflect/protoreflect"

	"conch/configedit/diag"
	"conch/configedit/folder"
	"conch/configedit/text"
)

// decoder fills a config from a tree, and skips what it cannot read.
type decoder struct {
	reader
	decoded *Decoded
	list    []diag.Diagnostic
	// unlisted is how many diagnostics came after the list was full.
	unlisted int
	// hints are Triton's sentences for mistakes that text.Parse has reported
	// without knowing the type, by the offset at which those begin.
	hints map[int]string
	// instead holds the offsets of mistakes that text.Parse has reported and that
	// are reported here again, in words from the schema. certain holds which of
	// their fixes are safe.
	instead, certain map[int]bool
}

// scope is a message being filled.
type scope struct {
	// name is its name in messages: the field that holds it.
	name string
	tree *text.Message
	msg  protoreflect.Message
}

func (d *decoder) message(s scope) {
	fields := s.msg.Descriptor().Fields()
	for _, f := range s.tree.Fields {
		if f.Name.Extension {
			d.extension(s, f)
			continue
		}
		fd := fields.ByName(protoreflect.Name(f.Name.Text))
		if fd == nil {
			d.unknown(s, f)
			fd = d.certainField(s.msg.Descriptor(), s.tree, f)
		}
		switch {
		case fd == nil:
		case d.taken(s, f, fd):
			d.skip(f.Value)
		default:
			d.field(s, f, fd)
		}
	}
}

// taken reports whether the field, or another member of its oneof, is set.
func (d *decoder) taken(s scope, f *text.Field, fd protoreflect.FieldDescriptor) bool {
	if !fd.IsList() && !fd.IsMap() && s.msg.Has(fd) {
		d.repeated(s, f)
		return true
	}
	oneof := fd.ContainingOneof()
	if oneof == nil {
		return false
	}
	other := s.msg.WhichOneof(oneof)
	if other == nil {
		return false
	}
	d.clash(s, f, other)
	return true
}

func (d *decoder) skip(v text.Value) {
	if v == nil {
		return
	}
	if d.decoded.skipped == nil {
		d.decoded.skipped = map[text.Value]bool{}
	}
	d.decoded.skipped[v] = true
}

func (d *decoder) field(s scope, f *text.Field, fd protoreflect.FieldDescriptor) {
	if f.Value == nil {
		d.hintMissing(f, fd)
		return
	}
	d.hintEquals(f, fd)
	list, isList := f.Value.(*text.List)
	if isList && unbracketed(list) && len(list.Junk) == 0 && fd.IsList() && fd.Message() == nil {
		if d.certain == nil {
			d.certain = map[int]bool{}
		}
		d.certain[list.Span().Start] = true
	}
	if !f.Colon.Present() && fd.Message() == nil && isList == fd.IsList() {
		d.colonless(f, fd)
	}
	switch {
	case !isList && fd.IsMap():
		d.entry(s, fd, f.Value)
	case !isList && fd.IsList():
		d.element(s.msg.Mutable(fd).List(), fd, f.Value)
	case !isList:
		d.singular(s, fd, f.Value)
	case fd.IsMap():
		d.elements(list, fd, func(v text.Value) { d.entry(s, fd, v) })
	case fd.IsList():
		target := s.msg.Mutable(fd).List()
		d.elements(list, fd, func(v text.Value) { d.element(target, fd, v) })
	default:
		d.listForOne(f, fd, list)
	}
}

func (d *decoder) elements(list *text.List, fd protoreflect.FieldDescriptor, read func(text.Value)) {
	for i, e := range list.Elements {
		if e.Value == nil {
			d.hintElement(list, i, fd)
			continue
		}
		read(e.Value)
	}
	if n := len(list.Elements); n > 0 && list.Elements[n-1].Value != nil && list.Elements[n-1].Comma.Present() {
		comma := list.Elements[n-1].Comma.Span
		d.hint(comma.Start, d.doc.TokenAt(comma.End), fd)
	}
}

func (d *decoder) element(target protoreflect.List, fd protoreflect.FieldDescriptor, v text.Value) {
	if fd.Message() == nil {
		if value, ok := d.scalarValue(fd, v); ok {
			target.Append(value)
		}
		return
	}
	if tree, ok := d.messageValue(fd, v); ok {
		d.message(scope{name: string(fd.Name()), tree: tree, msg: target.AppendMutable().Message()})
	}
}

func (d *decoder) singular(s scope, fd protoreflect.FieldDescriptor, v text.Value) {
	if fd.Message() == nil {
		if value, ok := d.scalarValue(fd, v); ok {
			s.msg.Set(fd, value)
		}
		return
	}
	if tree, ok := d.messageValue(fd, v); ok {
		d.message(scope{name: string(fd.Name()), tree: tree, msg: s.msg.Mutable(fd).Message()})
	}
}

func (d *decoder) messageValue(fd protoreflect.FieldDescriptor, v text.Value) (*text.Message, bool) {
	tree, ok := v.(*text.Message)
	if !ok {
		d.notMessage(fd, v)
		d.skip(v)
	}
	return tree, ok
}

func (d *decoder) scalarValue(fd protoreflect.FieldDescriptor, v text.Value) (protoreflect.Value, bool) {
	node, ok := v.(*text.Scalar)
	if !ok {
		d.notScalar(fd, v)
		d.skip(v)
		return protoreflect.Value{}, false
	}
	d.pos = node.Index
	value, no := d.scalar(fd)
	if no != nil {
		d.refused(fd, node, no)
		if meant, ok := d.certainly(fd, node); ok {
			return meant, true
		}
		d.skip(v)
		return value, false
	}
	if fd.Kind() == protoreflect.StringKind && !utf8.ValidString(value.String()) {
		d.notUTF8(fd, node)
		value = protoreflect.ValueOfString(folder.Text(value.String()))
	}
	return value, true
}
