package modelconfig_test

import (
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"

	"conch/configedit/modelconfig"
)

// TestEverythingIsDocumented holds the schema to one sentence for each name.
func TestEverythingIsDocumented(t *testing.T) {
	file := (&modelconfig.ModelConfig{}).ProtoReflect().Descriptor().ParentFile()
	names := enumNames(file.Enums())
	names = append(names, messageNames(file.Messages())...)
	if len(names) < 200 {
		t.Errorf("only %d names", len(names))
	}
	for _, name := range names {
		if modelconfig.Doc(name) == "" {
			t.Errorf("%s has no help text", name)
		}
	}
	if got := modelconfig.Doc("inference.Nothing"); got != "" {
		t.Errorf("an unknown name has the help %q", got)
	}
}

func enumNames(enums protoreflect.EnumDescriptors) (names []protoreflect.FullName) {
	for i := range enums.Len() {
		names = append(names, enums.Get(i).FullName())
		for k := range enums.Get(i).Values().Len() {
			names = append(names, enums.Get(i).Values().Get(k).FullName())
		}
	}
	return names
}

func messageNames(messages protoreflect.MessageDescriptors) (names []protoreflect.FullName) {
	for i := range messages.Len() {
		m := messages.Get(i)
		if m.IsMapEntry() {
			continue
		}
		names = append(names, m.FullName())
		for k := range m.Fields().Len() {
			names = append(names, m.Fields().Get(k).FullName())
		}
		for k := range m.Oneofs().Len() {
			names = append(names, m.Oneofs().Get(k).FullName())
		}
		names = append(names, enumNames(m.Enums())...)
		names = append(names, messageNames(m.Messages())...)
	}
	return names
}
