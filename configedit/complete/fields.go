package complete

import (
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"conch/configedit/diag"
	"conch/configedit/modelconfig"
)

// insertions are the fields that fit, each with the text that is put in.
type insertions struct{ *place }

// fields are the fields of the message at the place that may still be set, in the order of the schema.
func (p insertions) fields() []Item {
	taken := p.taken()
	var items []Item
	for i := range p.desc.Fields().Len() {
		fd := p.desc.Fields().Get(i)
		if taken[fd.Name()] && !fd.IsList() && !fd.IsMap() {
			continue
		}
		if oneof := fd.ContainingOneof(); oneof != nil && taken[oneof.Name()] {
			continue
		}
		items = append(items, Item{
			Label: string(fd.Name()), Kind: KindField, Detail: typeText(fd),
			Documentation: modelconfig.Doc(fd.FullName()), Insert: p.insertion(fd),
		})
	}
	return items
}

// taken are the fields that the message at the place has, and the oneofs that are decided. The word at the place
// itself does not count.
func (p insertions) taken() map[protoreflect.Name]bool {
	taken := map[protoreflect.Name]bool{}
	if len(p.at.Messages) == 0 {
		return taken
	}
	for _, f := range p.at.Message().Fields {
		if f == p.at.Field {
			continue
		}
		name := protoreflect.Name(f.Name.Text)
		taken[name] = true
		if fd := p.desc.Fields().ByName(name); fd != nil && fd.ContainingOneof() != nil {
			taken[fd.ContainingOneof().Name()] = true
		}
	}
	return taken
}

// insertion is a field with room for its value; its name alone where a value already follows.
func (p insertions) insertion(fd protoreflect.FieldDescriptor) string {
	name := string(fd.Name())
	if f := p.at.Field; f != nil && (f.Colon.Present() || f.Value != nil) {
		return name
	}
	indent := "\n" + p.indent()
	switch {
	case fd.IsMap() && fd.MapValue().Message() == nil:
		return name + " {" + indent + `  key: "${}"` + indent + `  value: "${}"` + indent + "}"
	case fd.IsMap() && fd.MapKey().Kind() != protoreflect.StringKind:
		return name + " {" + indent + "  key: ${}" + indent + "  value { }" + indent + "}"
	case fd.IsMap():
		return name + " {" + indent + `  key: "${}"` + indent + "  value { }" + indent + "}"
	case fd.Message() != nil && fd.IsList():
		return name + " [" + indent + "  {" + indent + "    ${}" + indent + "  }" + indent + "]"
	case fd.Message() != nil:
		return name + " {" + indent + "  ${}" + indent + "}"
	case fd.IsList():
		return name + ": [ ${} ]"
	case fd.Kind() == protoreflect.StringKind:
		return name + `: "${}"`
	}
	return name + ": ${}"
}

// indent is the blank space that the line of the place begins with.
func (p insertions) indent() string {
	if p.m.Decoded == nil {
		return ""
	}
	file := p.m.Decoded.File
	line, _ := file.Position(p.offset)
	start := file.LineSpan(line).Start
	head := file.Slice(diag.Span{Start: start, End: max(start, p.word().Start)})
	return head[:len(head)-len(strings.TrimLeft(head, " \t"))]
}

// typeText is a field's type as people say it.
func typeText(fd protoreflect.FieldDescriptor) string {
	word := fd.Kind().String()
	switch {
	case fd.IsMap():
		return "map of " + typeText(fd.MapKey()) + " to " + typeText(fd.MapValue())
	case fd.Enum() != nil:
		word = string(fd.Enum().Name())
	case fd.Message() != nil:
		word = string(fd.Message().Name())
	}
	if fd.IsList() {
		return "list of " + word
	}
	return word
}
