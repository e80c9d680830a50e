package modelconfig

import (
	"google.golang.org/protobuf/reflect/protoreflect"

	"conch/configedit/text"
)

// verdict reads a document as strictly as Triton does and stops where Triton
// stops. It builds nothing: it only has to know which fields hold something,
// since that decides about repetition. Nil means that the grammar is satisfied;
// the tokenizer may still have refused.
func verdict(doc *text.Document) *refusal {
	j := &judge{reader{doc: doc}}
	root := newSeen((&ModelConfig{}).ProtoReflect().Descriptor())
	for !j.looking(text.EOF) {
		if no := j.field(root); no != nil {
			return no
		}
	}
	return nil
}

type judge struct{ reader }

// seen is a message being read: its type, and which fields count as present.
// For proto3 scalars outside of a oneof that means another value than 0.
type seen struct {
	desc protoreflect.MessageDescriptor
	has  map[protoreflect.FieldNumber]bool
}

func newSeen(desc protoreflect.MessageDescriptor) *seen {
	return &seen{desc: desc, has: map[protoreflect.FieldNumber]bool{}}
}

// field is ParserImpl::ConsumeField.
func (j *judge) field(m *seen) *refusal {
	if j.tryConsume("[") {
		return j.extension(m)
	}
	name, no := j.identifier()
	if no != nil {
		return no
	}
	fd := m.desc.Fields().ByName(protoreflect.Name(name))
	if fd == nil {
		return j.refuse(wrongToken, unknownField, m.desc.FullName(), name)
	}
	if no := j.overwrite(m, fd); no != nil {
		return no
	}
	if no := j.value(m, fd); no != nil {
		return no
	}
	_ = j.tryConsume(";") || j.tryConsume(",")
	return nil
}

// Triton's sentences about fields.
const (
	unknownField   = "Message type \"%s\" has no field named \"%s\"."
	repeatedField  = "Non-repeated field \"%s\" is specified multiple times."
	secondOfOneof  = "Field \"%s\" is specified along with field \"%s\", another member of oneof \"%s\"."
	unknownExtends = "Extension \"%s\" is not defined or is not an extension of \"%s\"."
)

func (j *judge) extension(m *seen) *refusal {
	name, no := j.identifier()
	for no == nil && j.tryConsume(".") {
		var part string
		part, no = j.identifier()
		name += "." + part
	}
	if no == nil {
		no = j.consume("]")
	}
	if no != nil {
		return no
	}
	return j.refuse(wrongToken, unknownExtends, name, m.desc.FullName())
}

func (j *judge) overwrite(m *seen, fd protoreflect.FieldDescriptor) *refusal {
	if !fd.IsList() && !fd.IsMap() && m.has[fd.Number()] {
		return j.refuse(wrongToken, repeatedField, fd.Name())
	}
	oneof := fd.ContainingOneof()
	if oneof == nil {
		return nil
	}
	for i := range oneof.Fields().Len() {
		if other := oneof.Fields().Get(i); m.has[other.Number()] {
			return j.refuse(wrongToken, secondOfOneof, fd.Name(), other.Name(), oneof.Name())
		}
	}
	return nil
}

func (j *judge) value(m *seen, fd protoreflect.FieldDescriptor) *refusal {
	if fd.Message() != nil {
		j.tryConsume(":")
	} else if no := j.consume(":"); no != nil {
		return no
	}
	if (fd.IsList() || fd.IsMap()) && j.tryConsume("[") {
		return j.list(m, fd)
	}
	return j.single(m, fd)
}

func (j *judge) list(m *seen, fd protoreflect.FieldDescriptor) *refusal {
	if j.tryConsume("]") {
		return nil
	}
	for {
		if no := j.single(m, fd); no != nil {
			return no
		}
		if j.tryConsume("]") {
			return nil
		}
		if no := j.consume(","); no != nil {
			return no
		}
	}
}

func (j *judge) single(m *seen, fd protoreflect.FieldDescriptor) *refusal {
	if fd.Message() != nil {
		m.has[fd.Number()] = true
		return j.message(fd.Message())
	}
	v, no := j.scalar(fd)
	if no == nil && (fd.HasPresence() || m.desc.IsMapEntry() || !isZero(fd, v)) {
		m.has[fd.Number()] = true
	}
	return no
}

func (j *judge) message(desc protoreflect.MessageDescriptor) *refusal {
	closer := ">"
	if !j.tryConsume("<") {
		if no := j.consume("{"); no != nil {
			return no
		}
		closer = "}"
	}
	m := newSeen(desc)
	for !j.lookingAt(">") && !j.lookingAt("}") {
		if no := j.field(m); no != nil {
			return no
		}
	}
	return j.consume(closer)
}

// isZero reports whether a scalar is its type's default, which counts as absent.
func isZero(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
	return v.Equal(fd.Default()) && !isNegativeZero(v)
}
