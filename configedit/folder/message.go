package folder

import (
	"unicode/utf8"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Message returns a message whose strings are all valid UTF-8, in the form of
// Text: no other can be sent. Texts quote the names of files, and those may
// hold any byte. The message itself is not changed; where it is valid, it is
// what is returned.
func Message(m proto.Message) proto.Message {
	if valid(m.ProtoReflect()) {
		return m
	}
	clone := proto.Clone(m)
	mend(clone.ProtoReflect())
	return clone
}

func valid(m protoreflect.Message) bool {
	ok := true
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case fd.IsMap():
			v.Map().Range(func(k protoreflect.MapKey, v protoreflect.Value) bool {
				ok = validValue(fd.MapKey(), k.Value()) && validValue(fd.MapValue(), v)
				return ok
			})
		case fd.IsList():
			for i := 0; ok && i < v.List().Len(); i++ {
				ok = validValue(fd, v.List().Get(i))
			}
		default:
			ok = validValue(fd, v)
		}
		return ok
	})
	return ok
}

func validValue(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
	switch {
	case fd.Kind() == protoreflect.StringKind:
		return utf8.ValidString(v.String())
	case fd.Message() != nil:
		return valid(v.Message())
	}
	return true
}

func mend(m protoreflect.Message) {
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case fd.IsMap():
			mendMap(fd, v.Map())
		case fd.IsList():
			list := v.List()
			for i := range list.Len() {
				list.Set(i, mended(fd, list.Get(i)))
			}
		case fd.Kind() == protoreflect.StringKind:
			m.Set(fd, mended(fd, v))
		default:
			mended(fd, v)
		}
		return true
	})
}

func mendMap(fd protoreflect.FieldDescriptor, entries protoreflect.Map) {
	entries.Range(func(k protoreflect.MapKey, v protoreflect.Value) bool {
		key := mended(fd.MapKey(), k.Value()).MapKey()
		if key.Interface() != k.Interface() {
			entries.Clear(k)
		}
		entries.Set(key, mended(fd.MapValue(), v))
		return true
	})
}

// mended returns a string in its valid form; a message is mended in its place.
func mended(fd protoreflect.FieldDescriptor, v protoreflect.Value) protoreflect.Value {
	switch {
	case fd.Kind() == protoreflect.StringKind:
		return protoreflect.ValueOfString(Text(v.String()))
	case fd.Message() != nil:
		mend(v.Message())
	}
	return v
}
