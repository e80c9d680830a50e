package modelconfig

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"sort"
	"strconv"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// UnmarshalJSON reads a config from JSON as Triton reads a load override
// (JsonToModelConfig): names in snake_case or lowerCamelCase, unknown ones
// refused, enumerators in any case or as numbers, integers also in strings, the
// last of two equal names counts. Errors are in the words of protobuf's JSON
// reader, which Triton logs behind "Invalid config override: ".
func UnmarshalJSON(data []byte) (*ModelConfig, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var tree any
	if err := dec.Decode(&tree); err != nil {
		if err == io.EOF {
			return nil, jsonError("Unexpected end of string. Expected a value.\n\n^")
		}
		return nil, fmt.Errorf("read model configuration from JSON: %w", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, jsonError("Parsing terminated before end of input.")
	}
	root, ok := tree.(map[string]any)
	if !ok {
		return nil, jsonError(": Root element must be a message.")
	}
	cfg := &ModelConfig{}
	if err := readMessage("", cfg.ProtoReflect(), root); err != nil {
		return nil, err
	}
	return cfg, nil
}

// jsonError is a sentence of protobuf's JSON reader.
type jsonError string

func (e jsonError) Error() string { return string(e) }

// located puts the place in front, as protobuf's StatusErrorListener does.
func located(path string) string {
	if path == "" {
		return ""
	}
	return "(" + path + ")"
}

func joined(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func readMessage(path string, m protoreflect.Message, tree map[string]any) error {
	names := make([]string, 0, len(tree))
	for name := range tree {
		names = append(names, name)
	}
	sort.Strings(names) // so that the same mistake is reported every time
	for _, name := range names {
		fields := m.Descriptor().Fields()
		fd := fields.ByName(protoreflect.Name(name))
		if fd == nil {
			fd = fields.ByJSONName(name)
		}
		if fd == nil {
			return jsonError(strings.TrimSpace(located(path)+" "+name) + ": Cannot find field.")
		}
		if tree[name] == nil {
			continue // null is absent
		}
		if err := readField(path, m, fd, tree[name]); err != nil {
			return err
		}
	}
	return nil
}

func readField(path string, m protoreflect.Message, fd protoreflect.FieldDescriptor, v any) error {
	here := joined(path, string(fd.Name()))
	if oneof := fd.ContainingOneof(); oneof != nil && m.WhichOneof(oneof) != nil {
		return jsonError(fmt.Sprintf("%s: invalid value oneof field '%s' is already set. Cannot set '%s' for type oneof",
			located(path), oneof.Name(), fd.Name()))
	}
	switch {
	case fd.IsMap():
		return readMap(here, m.Mutable(fd).Map(), fd, v)
	case fd.IsList():
		return readList(here, m.Mutable(fd).List(), fd, v)
	}
	value, err := readValue(here, m.NewField(fd), fd, v)
	if err == nil {
		m.Set(fd, value)
	}
	return err
}

func readList(path string, list protoreflect.List, fd protoreflect.FieldDescriptor, v any) error {
	items, ok := v.([]any)
	if !ok {
		items = []any{v} // protobuf's reader takes a single value for a list of one
	}
	for i, item := range items {
		value, err := readValue(fmt.Sprintf("%s[%d]", path, i), list.NewElement(), fd, item)
		if err != nil {
			return err
		}
		list.Append(value)
	}
	return nil
}

func readMap(path string, m protoreflect.Map, fd protoreflect.FieldDescriptor, v any) error {
	tree, ok := v.(map[string]any)
	if !ok {
		return invalid(path, v, fd)
	}
	for key, item := range tree {
		here := fmt.Sprintf("%s[%q]", path, key)
		k, err := readValue(here, fd.MapKey().Default(), fd.MapKey(), key)
		if err != nil {
			return err
		}
		value, err := readValue(here, m.NewValue(), fd.MapValue(), item)
		if err != nil {
			return err
		}
		m.Set(k.MapKey(), value)
	}
	return nil
}

// readValue reads one value; empty is a new one of its type.
func readValue(path string, empty protoreflect.Value, fd protoreflect.FieldDescriptor, v any) (protoreflect.Value, error) {
	if fd.Message() != nil {
		tree, ok := v.(map[string]any)
		if !ok {
			return empty, invalid(path, v, fd)
		}
		return empty, readMessage(path, empty.Message(), tree)
	}
	value, ok := jsonScalar(fd, v)
	if !ok {
		return empty, invalid(path, v, fd)
	}
	return value, nil
}

func invalid(path string, v any, fd protoreflect.FieldDescriptor) error {
	shown, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("%s: %w", located(path), err)
	}
	kind := "TYPE_" + strings.ToUpper(fd.Kind().String())
	if fd.Kind() == protoreflect.EnumKind {
		kind = string(fd.Enum().FullName())
	}
	return jsonError(fmt.Sprintf("%s: invalid value %s for type %s", located(path), shown, kind))
}

func jsonScalar(fd protoreflect.FieldDescriptor, v any) (protoreflect.Value, bool) {
	switch fd.Kind() {
	case protoreflect.StringKind:
		s, ok := v.(string)
		return protoreflect.ValueOfString(s), ok
	case protoreflect.BoolKind:
		return jsonBool(v)
	case protoreflect.EnumKind:
		return jsonEnum(fd.Enum(), v)
	case protoreflect.FloatKind, protoreflect.DoubleKind:
		return jsonFloat(fd, v)
	}
	return jsonInteger(fd, v)
}

func jsonBool(v any) (protoreflect.Value, bool) {
	if s, ok := v.(string); ok && (s == "true" || s == "false") {
		return protoreflect.ValueOfBool(s == "true"), true
	}
	b, ok := v.(bool)
	return protoreflect.ValueOfBool(b), ok
}

func jsonEnum(desc protoreflect.EnumDescriptor, v any) (protoreflect.Value, bool) {
	if s, ok := v.(string); ok {
		upper := strings.ReplaceAll(strings.ToUpper(s), "-", "_")
		if word := desc.Values().ByName(protoreflect.Name(upper)); word != nil {
			return protoreflect.ValueOfEnum(word.Number()), true
		}
	}
	n, err := strconv.ParseInt(numberText(v), 10, 32)
	return protoreflect.ValueOfEnum(protoreflect.EnumNumber(n)), err == nil
}

// numberText is a number, or a string that may be one.
func numberText(v any) string {
	switch v := v.(type) {
	case json.Number:
		return v.String()
	case string:
		return v
	}
	return ""
}

func jsonFloat(fd protoreflect.FieldDescriptor, v any) (protoreflect.Value, bool) {
	f, err := strconv.ParseFloat(numberText(v), 64)
	if fd.Kind() == protoreflect.FloatKind {
		return protoreflect.ValueOfFloat32(float32(f)), err == nil
	}
	return protoreflect.ValueOfFloat64(f), err == nil
}

func jsonInteger(fd protoreflect.FieldDescriptor, v any) (protoreflect.Value, bool) {
	word := wholeNumber(numberText(v))
	switch fd.Kind() {
	case protoreflect.Int32Kind:
		n, err := strconv.ParseInt(word, 10, 32)
		return protoreflect.ValueOfInt32(int32(n)), err == nil
	case protoreflect.Int64Kind:
		n, err := strconv.ParseInt(word, 10, 64)
		return protoreflect.ValueOfInt64(n), err == nil
	case protoreflect.Uint32Kind:
		n, err := strconv.ParseUint(word, 10, 32)
		return protoreflect.ValueOfUint32(uint32(n)), err == nil
	}
	n, err := strconv.ParseUint(word, 10, 64)
	return protoreflect.ValueOfUint64(n), err == nil
}

// wholeNumber takes the fraction or exponent off a number that is whole: JSON
// writes 4 also as 4.0 or 4e0.
func wholeNumber(word string) string {
	if !strings.ContainsAny(word, ".eE") {
		return word
	}
	f, err := strconv.ParseFloat(word, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return word
	}
	return strconv.FormatFloat(f, 'f', 0, 64)
}
