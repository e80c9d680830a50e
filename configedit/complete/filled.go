package complete

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"conch/configedit/derive"
	"conch/configedit/text"
)

// filled returns what Triton fills in below the field at the place, and why, one line each.
func (p help) filled() string {
	path := p.path()
	_, filled, _ := derive.Effective(p.m.Decoded.Config, p.m.Facts)
	var lines []string
	for _, f := range filled {
		if len(f.Path) <= len(path) || !slices.Equal(f.Path[:len(path)], path) {
			continue
		}
		if line := p.filledText(f, len(path)); line != "" && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// filledText says what was filled in. below is the length of the path of the field itself.
func (p help) filledText(f derive.Filled, below int) string {
	var names []string
	for _, step := range f.Path[below:] {
		if name, ok := step.(string); ok {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	value := valueAt(p.m.Effective.ProtoReflect(), f.Path)
	return fmt.Sprintf("Triton fills in %s%s: %s.", strings.Join(names, "."), value, f.Reason)
}

// valueAt is the scalar at a path of a config, after a blank; "" for anything else.
func valueAt(m protoreflect.Message, path []any) string {
	for i := 0; i < len(path); i++ {
		name, _ := path[i].(string)
		fd := m.Descriptor().Fields().ByName(protoreflect.Name(name))
		if fd == nil || fd.IsMap() {
			return ""
		}
		value, last := m.Get(fd), i == len(path)-1
		if fd.IsList() {
			if last {
				return listText(fd, value.List())
			}
			n, ok := path[i+1].(int)
			if !ok || n >= value.List().Len() || fd.Message() == nil {
				return ""
			}
			m, i = value.List().Get(n).Message(), i+1
			continue
		}
		if last || fd.Message() == nil {
			return scalarText(fd, value)
		}
		m = value.Message()
	}
	return ""
}

func listText(fd protoreflect.FieldDescriptor, list protoreflect.List) string {
	if fd.Message() != nil {
		return ""
	}
	words := make([]string, list.Len())
	for i := range words {
		words[i] = strings.TrimSpace(scalarText(fd, list.Get(i)))
	}
	return " [ " + strings.Join(words, ", ") + " ]"
}

func scalarText(fd protoreflect.FieldDescriptor, value protoreflect.Value) string {
	switch {
	case fd.Message() != nil:
		return ""
	case fd.Enum() != nil:
		if v := fd.Enum().Values().ByNumber(value.Enum()); v != nil {
			return " " + string(v.Name())
		}
	case fd.Kind() == protoreflect.StringKind:
		return " " + text.Quote(value.String())
	}
	return fmt.Sprint(" ", value.Interface())
}

// path is where the field at the place is in the config: names, and places in lists.
func (p help) path() []any {
	var path []any
	desc := p.m.Effective.ProtoReflect().Descriptor()
	for i, f := range p.at.Fields {
		fd := desc.Fields().ByName(protoreflect.Name(f.Name.Text))
		path = append(path, f.Name.Text)
		if fd == nil || fd.IsMap() {
			return path
		}
		if fd.IsList() {
			path = append(path, index(p.at.Messages[i], f.Name.Text, p.at.Messages[i+1]))
		}
		desc = fd.Message()
	}
	path = append(path, string(p.field.Name()))
	if in := messagesIn(p.at.Field.Value); p.field.IsList() && len(in) == 1 {
		path = append(path, index(p.at.Message(), p.at.Field.Name.Text, in[0]))
	}
	return path
}

// index is the place of a message among those of a field.
func index(around *text.Message, name string, m *text.Message) int {
	n := 0
	for _, f := range around.Fields {
		if f.Name.Text != name {
			continue
		}
		for _, in := range messagesIn(f.Value) {
			if in == m {
				return n
			}
			n++
		}
	}
	return n
}
