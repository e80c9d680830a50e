package modelconfig

import (
	"sync"

	"google.golang.org/protobuf/reflect/protoreflect"

	"conch/configedit/text"
)

// schema shows package text which fields a message has.
type schema struct{ fields protoreflect.FieldDescriptors }

func schemaOf(desc protoreflect.MessageDescriptor) schema { return schema{desc.Fields()} }

// configSchema is that of a whole config.
var configSchema = sync.OnceValue(func() text.Schema { return schemaOf((&ModelConfig{}).ProtoReflect().Descriptor()) })

// Field implements text.Schema.
func (s schema) Field(name string) (text.FieldType, bool) {
	fd := s.fields.ByName(protoreflect.Name(name))
	if fd == nil {
		return text.FieldType{}, false
	}
	t := text.FieldType{
		List: fd.IsList() || fd.IsMap(), String: fd.Kind() == protoreflect.StringKind, Number: fd.Index(),
	}
	if inner := fd.Message(); inner != nil {
		t.Message = schemaOf(inner)
	}
	return t, true
}
