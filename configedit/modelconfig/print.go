package modelconfig

import (
	"math"
	"sort"
	"strconv"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"conch/configedit/text"
)

// PrintText writes a config as people write config.pbtxt: fields in the order
// of the schema, lists of numbers on one line, lists of messages in brackets.
func PrintText(cfg *ModelConfig) []byte {
	p := &textPrinter{}
	p.message(cfg.ProtoReflect())
	return []byte(p.String())
}

type textPrinter struct {
	strings.Builder
	depth int
}

func (p *textPrinter) line(parts ...string) {
	p.WriteString(strings.Repeat("  ", p.depth))
	for _, part := range parts {
		p.WriteString(part)
	}
	p.WriteByte('\n')
}

func (p *textPrinter) message(m protoreflect.Message) {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		if fd := fields.Get(i); m.Has(fd) {
			p.field(fd, m.Get(fd))
		}
	}
}

func (p *textPrinter) field(fd protoreflect.FieldDescriptor, v protoreflect.Value) {
	name := string(fd.Name())
	switch {
	case fd.IsMap():
		p.entries(fd, v.Map())
	case fd.IsList() && fd.Message() != nil:
		p.messages(name, v.List())
	case fd.IsList():
		p.line(name, ": [ ", strings.Join(scalarTexts(fd, v.List()), ", "), " ]")
	case fd.Message() != nil:
		p.braces(name+" ", v.Message(), "")
	default:
		p.line(name, ": ", scalarText(fd, v))
	}
}

func (p *textPrinter) braces(before string, m protoreflect.Message, after string) {
	empty := true
	m.Range(func(protoreflect.FieldDescriptor, protoreflect.Value) bool {
		empty = false
		return false
	})
	if empty {
		p.line(before, "{}", after)
		return
	}
	p.line(before, "{")
	p.depth++
	p.message(m)
	p.depth--
	p.line("}", after)
}

func (p *textPrinter) messages(name string, list protoreflect.List) {
	p.line(name, " [")
	p.depth++
	for i := range list.Len() {
		after := ","
		if i == list.Len()-1 {
			after = ""
		}
		p.braces("", list.Get(i).Message(), after)
	}
	p.depth--
	p.line("]")
}

func (p *textPrinter) entries(fd protoreflect.FieldDescriptor, m protoreflect.Map) {
	for _, key := range sortedKeys(m) {
		p.line(string(fd.Name()), " {")
		p.depth++
		p.line("key: ", scalarText(fd.MapKey(), key.Value()))
		p.field(fd.MapValue(), m.Get(key))
		p.depth--
		p.line("}")
	}
}

// sortedKeys orders a map's keys, so that equal configs print equally.
func sortedKeys(m protoreflect.Map) []protoreflect.MapKey {
	keys := make([]protoreflect.MapKey, 0, m.Len())
	m.Range(func(k protoreflect.MapKey, _ protoreflect.Value) bool {
		keys = append(keys, k)
		return true
	})
	sort.Slice(keys, func(i, j int) bool {
		if a, ok := keys[i].Interface().(uint64); ok {
			return a < keys[j].Uint()
		}
		return keys[i].String() < keys[j].String()
	})
	return keys
}

func scalarTexts(fd protoreflect.FieldDescriptor, list protoreflect.List) []string {
	out := make([]string, list.Len())
	for i := range out {
		out[i] = scalarText(fd, list.Get(i))
	}
	return out
}

func scalarText(fd protoreflect.FieldDescriptor, v protoreflect.Value) string {
	switch fd.Kind() {
	case protoreflect.StringKind:
		return text.Quote(v.String())
	case protoreflect.EnumKind:
		if word := fd.Enum().Values().ByNumber(v.Enum()); word != nil {
			return string(word.Name())
		}
		return strconv.Itoa(int(v.Enum()))
	case protoreflect.FloatKind:
		return floatText(v.Float(), 32)
	case protoreflect.DoubleKind:
		return floatText(v.Float(), 64)
	}
	return v.String()
}

func floatText(f float64, bits int) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}
	return strconv.FormatFloat(f, 'g', -1, bits)
}
