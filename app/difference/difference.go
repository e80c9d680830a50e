// Package difference holds the config of a model here against the one that a server serves, field by
// field. It is pure.
package difference

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"conch/configedit/modelconfig"
)

// Field is a field that differs. A value that is not there is "".
type Field struct {
	Path        string // as people read it: input "IMAGE".dims
	Here, There string
	Reason      string // why it is so here, where a reason is known
}

// Configs returns the fields that differ, in the order of the schema. reasons has, by the path as
// language.PathText writes it, why a value here is not written in the file.
func Configs(here, there *modelconfig.ModelConfig, reasons map[string]string) []Field {
	a, b := flatten(here), flatten(there)
	var out []Field
	for _, l := range a.lines {
		if other := b.values[l.path]; other != l.value {
			out = append(out, Field{l.path, l.value, other, reasonOf(l.index, reasons)})
		}
	}
	for _, l := range b.lines {
		if _, known := a.values[l.path]; !known {
			out = append(out, Field{Path: l.path, There: l.value})
		}
	}
	return out
}

// reasonOf returns the reason of a field, or of what it is a part of.
func reasonOf(index string, reasons map[string]string) string {
	for path := index; ; {
		if r := reasons[path]; r != "" {
			return r
		}
		i := strings.LastIndexAny(path, ".[")
		if i < 0 {
			return ""
		}
		path = path[:i]
	}
}

// flat is a config as lines.
type flat struct {
	lines  []line
	values map[string]string
}

// line is one value. path has elements by their names, so that their order does not count; index has
// them by their place.
type line struct{ path, index, value string }

func flatten(cfg *modelconfig.ModelConfig) *flat {
	f := &flat{values: map[string]string{}}
	f.message("", "", plain(cfg).ProtoReflect())
	return f
}

// plain returns a config without the transaction policy where it says nothing: an empty one is the default, and a server
// itself decides that of an ensemble by its steps.
func plain(cfg *modelconfig.ModelConfig) *modelconfig.ModelConfig {
	if cfg.GetModelTransactionPolicy() == nil || cfg.GetModelTransactionPolicy().Decoupled && cfg.GetEnsembleScheduling() == nil {
		return cfg
	}
	cfg = proto.CloneOf(cfg)
	cfg.ModelTransactionPolicy = nil
	return cfg
}

func (f *flat) add(path, index, value string) {
	if _, twice := f.values[path]; twice {
		path = index // two elements have one name
	}
	f.values[path] = value
	f.lines = append(f.lines, line{path, index, value})
}

func (f *flat) message(path, index string, m protoreflect.Message) {
	before := len(f.lines)
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		field := fields.Get(i)
		if !m.Has(field) {
			continue
		}
		name := string(field.Name())
		f.field(dotted(path, name), dotted(index, name), field, m.Get(field))
	}
	if len(f.lines) == before && path != "" {
		f.add(path, index, "{}") // that it is there counts, such as dynamic_batching
	}
}

func (f *flat) field(path, index string, d protoreflect.FieldDescriptor, v protoreflect.Value) {
	switch {
	case d.IsMap():
		for _, key := range sortedKeys(v.Map()) {
			at := v.Map().Get(key.MapKey())
			f.value(fmt.Sprintf("%s[%q]", path, key.String()), fmt.Sprintf("%s[%q]", index, key.String()), d.MapValue(), at)
		}
	case d.IsList() && d.Message() != nil:
		for i := range v.List().Len() {
			m := v.List().Get(i).Message()
			f.message(path+nameOf(m, i), index+"["+strconv.Itoa(i)+"]", m)
		}
	case d.IsList():
		items := make([]string, v.List().Len())
		for i := range items {
			items[i] = text(d, v.List().Get(i))
		}
		f.add(path, index, "["+strings.Join(items, ", ")+"]")
	default:
		f.value(path, index, d, v)
	}
}

func (f *flat) value(path, index string, d protoreflect.FieldDescriptor, v protoreflect.Value) {
	if d.Message() != nil {
		f.message(path, index, v.Message())
		return
	}
	f.add(path, index, text(d, v))
}

// nameOf returns how people name an element of a list: by its name where it has one.
func nameOf(m protoreflect.Message, i int) string {
	d := m.Descriptor().Fields().ByName("name")
	if d != nil && d.Kind() == protoreflect.StringKind && m.Get(d).String() != "" {
		return fmt.Sprintf(" %q", m.Get(d).String())
	}
	return "[" + strconv.Itoa(i) + "]"
}

// longest limits a value: a label list is not compared by eye.
const longest = 2000

func text(d protoreflect.FieldDescriptor, v protoreflect.Value) string {
	var out string
	switch d.Kind() {
	case protoreflect.EnumKind:
		if e := d.Enum().Values().ByNumber(v.Enum()); e != nil {
			out = string(e.Name())
		}
	case protoreflect.StringKind:
		out = strconv.Quote(v.String())
	case protoreflect.BytesKind:
		out = strconv.Quote(string(v.Bytes()))
	default:
		out = v.String()
	}
	return out[:min(len(out), longest)]
}

func dotted(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func sortedKeys(m protoreflect.Map) (keys []protoreflect.Value) {
	m.Range(func(k protoreflect.MapKey, _ protoreflect.Value) bool {
		keys = append(keys, k.Value())
		return true
	})
	slices.SortFunc(keys, func(a, b protoreflect.Value) int { return strings.Compare(a.String(), b.String()) })
	return keys
}
