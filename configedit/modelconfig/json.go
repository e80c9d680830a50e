package modelconfig

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// MarshalJSON writes a config as Triton serves it at /v2/models/X/config:
// schema order (but see isLast), every scalar, list and map even when empty, sub-messages only
// when present, enumerators by name, 64-bit integers as numbers except where
// Triton forgets to turn them back from strings.
func MarshalJSON(cfg *ModelConfig) ([]byte, error) {
	w := &jsonWriter{}
	w.message(cfg.ProtoReflect())
	if w.err != nil {
		return nil, fmt.Errorf("write model configuration as JSON: %w", w.err)
	}
	return w.Bytes(), nil
}

// stringIntegers are the 64-bit fields Triton leaves as protobuf's JSON has
// them, in strings (ModelConfigToJson does not look there).
var stringIntegers = map[protoreflect.FullName]bool{
	"inference.ModelSequenceBatching.InitialState.dims":          true,
	"inference.ModelOptimizationPolicy.Cuda.GraphSpec.Shape.dim": true,
	"inference.ModelInstanceGroup.SecondaryDevice.device_id":     true,
}

type jsonWriter struct {
	bytes.Buffer
	err error
}

func (w *jsonWriter) message(m protoreflect.Message) {
	w.WriteByte('{')
	fields, first := m.Descriptor().Fields(), true
	for _, last := range [...]bool{false, true} {
		for i := range fields.Len() {
			fd := fields.Get(i)
			if isLast(fd) != last || fd.HasPresence() && !m.Has(fd) {
				continue
			}
			w.comma(&first)
			w.str(string(fd.Name()))
			w.WriteByte(':')
			w.field(fd, m.Get(fd))
		}
	}
	w.WriteByte('}')
}

// isLast reports whether a field comes behind all others: a scalar of which a message has one among several.
func isLast(fd protoreflect.FieldDescriptor) bool {
	return fd.ContainingOneof() != nil && fd.Kind() != protoreflect.MessageKind
}

func (w *jsonWriter) comma(first *bool) {
	if !*first {
		w.WriteByte(',')
	}
	*first = false
}

func (w *jsonWriter) field(fd protoreflect.FieldDescriptor, v protoreflect.Value) {
	switch {
	case fd.IsMap():
		w.entries(fd, v.Map())
	case fd.IsList():
		w.list(fd, v.List())
	default:
		w.value(fd, v)
	}
}

func (w *jsonWriter) list(fd protoreflect.FieldDescriptor, list protoreflect.List) {
	w.WriteByte('[')
	for i, first := 0, true; i < list.Len(); i++ {
		w.comma(&first)
		w.value(fd, list.Get(i))
	}
	w.WriteByte(']')
}

func (w *jsonWriter) entries(fd protoreflect.FieldDescriptor, m protoreflect.Map) {
	w.WriteByte('{')
	first := true
	for _, key := range sortedKeys(m) {
		w.comma(&first)
		w.str(key.String())
		w.WriteByte(':')
		w.value(fd.MapValue(), m.Get(key))
	}
	w.WriteByte('}')
}

func (w *jsonWriter) value(fd protoreflect.FieldDescriptor, v protoreflect.Value) {
	switch fd.Kind() {
	case protoreflect.MessageKind:
		w.message(v.Message())
	case protoreflect.StringKind:
		w.str(v.String())
	case protoreflect.EnumKind:
		w.enum(fd, v.Enum())
	case protoreflect.FloatKind:
		w.float(v.Float(), 32)
	case protoreflect.DoubleKind:
		w.float(v.Float(), 64)
	default:
		if stringIntegers[fd.FullName()] {
			w.str(v.String())
		} else {
			w.WriteString(v.String())
		}
	}
}

func (w *jsonWriter) enum(fd protoreflect.FieldDescriptor, n protoreflect.EnumNumber) {
	if word := fd.Enum().Values().ByNumber(n); word != nil {
		w.str(string(word.Name()))
		return
	}
	w.WriteString(strconv.Itoa(int(n)))
}

func (w *jsonWriter) float(f float64, bits int) {
	switch {
	case math.IsNaN(f):
		w.str("NaN")
	case math.IsInf(f, 1):
		w.str("Infinity")
	case math.IsInf(f, -1):
		w.str("-Infinity")
	default:
		w.WriteString(strconv.FormatFloat(f, 'g', -1, bits))
	}
}

// str writes a JSON string without HTML's escapes, as RapidJSON does.
func (w *jsonWriter) str(s string) {
	e := json.NewEncoder(&w.Buffer)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil && w.err == nil {
		w.err = err
		return
	}
	w.Truncate(w.Len() - 1) // the encoder ends a line
}
