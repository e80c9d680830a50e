package complete

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"conch/configedit/check"
	"conch/configedit/derive"
	"conch/configedit/diag"
	"conch/configedit/modelconfig"
	"conch/configedit/text"
)

// Help explains the text at a place.
type Help struct {
	Span          diag.Span
	Title         string
	Documentation string
}

// Hover explains the field or value at a byte offset of the model's text. It returns false if there is none.
func Hover(m *check.Model, offset int, env check.Env) (Help, bool) {
	if m.Decoded == nil {
		return Help{}, false
	}
	p := newPlace(m, env, offset)
	if p.desc == nil || p.field == nil || p.at.Place == text.PlaceComment {
		return Help{}, false
	}
	if p.at.Place == text.PlaceName {
		return help{p}.fieldHelp(), true
	}
	if p.at.Scalar == nil {
		return Help{}, false
	}
	return help{p}.valueHelp(), true
}

// help explains the field at a place.
type help struct{ *place }

func (p help) fieldHelp() Help {
	return Help{
		Span:          p.at.Field.Name.Span(),
		Title:         fmt.Sprintf("%s: %s", p.field.Name(), typeText(p.field)),
		Documentation: paragraphs(p.doc(), p.absent(), p.numbers(), p.filled()),
	}
}

func (p help) valueHelp() Help {
	value := p.m.Decoded.File.Slice(p.at.Scalar.Span())
	help := Help{Span: p.at.Scalar.Span(), Title: fmt.Sprintf("%s: %s", p.field.Name(), value)}
	if p.field.Enum() != nil {
		help.Title = value
		if v := p.field.Enum().Values().ByName(protoreflect.Name(value)); v != nil {
			help.Documentation = paragraphs(modelconfig.Doc(v.FullName()), p.numbers())
		}
		return help
	}
	help.Documentation = paragraphs(p.known(p.valueOf(p.at.Message(), string(p.field.Name()))), p.numbers(), p.doc())
	return help
}

// doc returns the schema's comment on the field. For the key or value of a map, it is the comment on the map.
func (p help) doc() string {
	if p.field.ContainingMessage().IsMapEntry() {
		desc := p.m.Effective.ProtoReflect().Descriptor()
		for _, name := range p.at.Names() {
			fd := desc.Fields().ByName(protoreflect.Name(name))
			if fd.IsMap() {
				return modelconfig.Doc(fd.FullName())
			}
			desc = fd.Message()
		}
	}
	return modelconfig.Doc(p.field.FullName())
}

// absent says what happens without the field, if the schema's comment does not.
func (p help) absent() string {
	fd := p.field
	doc := strings.ToLower(p.doc())
	if fd.IsList() || fd.IsMap() || fd.Message() != nil || fd.ContainingMessage().IsMapEntry() || fd.ContainingOneof() != nil ||
		strings.Contains(doc, "absent") || strings.Contains(doc, "default") || strings.Contains(doc, "must be") {
		return ""
	}
	switch {
	case fd.FullName() == "inference.ModelConfig.max_batch_size": // docs/triton/completion.md, "Switches"
		return fmt.Sprintf("When absent: %d where the file of an ONNX or TensorFlow model allows batches, otherwise 0.", derive.DefaultMaxBatchSize)
	case fd.Enum() != nil:
		return fmt.Sprintf("%s when absent.", fd.Enum().Values().ByNumber(0).Name())
	case fd.Kind() == protoreflect.StringKind:
		return ""
	}
	return fmt.Sprintf("%v when absent.", fd.Default().Interface())
}

// known returns what the repository knows about a name.
func (p help) known(name string) string {
	switch strings.Join(append(p.at.Names(), string(p.field.Name())), ".") {
	case "parameters.key":
		if known, ok := settings(p).parameter(p.around(0)); ok {
			return parameterHelp(known)
		}
	case "parameters.value.string_value":
		if known, ok := settings(p).parameter(p.around(1)); ok {
			return parameterHelp(known)
		}
	case "ensemble_scheduling.step.model_name":
		if m := newWires(p.place).stepModel(0); m != nil {
			return paragraphs("Runs on "+runs(m)+".", signature(m))
		}
		return "There is no model of this name in the repository."
	case "ensemble_scheduling.step.input_map.key", "ensemble_scheduling.step.output_map.key":
		side, _, _ := strings.Cut(p.at.Fields[len(p.at.Fields)-1].Name.Text, "_")
		if m := newWires(p.place).stepModel(1); m != nil {
			return described(m, side, name)
		}
	case "ensemble_scheduling.step.input_map.value", "ensemble_scheduling.step.output_map.value":
		for _, item := range newWires(p.place).all() {
			if item.Label == name && name != "" {
				return fmt.Sprintf("Tensor %q: %s", name, item.Detail)
			}
		}
	}
	return ""
}

// described returns what a model says about one of its tensors.
func described(m *check.Model, side, name string) string {
	for _, t := range tensors(m.Effective, side) {
		if t.name == name {
			return fmt.Sprintf("%s %q of %s: %s", side, name, m.Name, typeAndShape(m.Effective, t))
		}
	}
	return ""
}

// numbers returns the effective shape of the tensor at the place.
func (p help) numbers() string {
	names := p.at.Names()
	if len(names) == 0 && p.field.Name() == "max_batch_size" {
		return p.batching()
	}
	if len(names) != 1 || names[0] != "input" && names[0] != "output" {
		return ""
	}
	name := p.valueOf(p.at.Message(), "name")
	for _, t := range tensors(p.m.Effective, names[0]) {
		if t.name != name || name == "" || len(t.dims) == 0 || t.typ == modelconfig.DataType_TYPE_INVALID {
			continue
		}
		says := "Requests have it as " + typeAndShape(p.m.Effective, t)
		if n := p.m.Effective.GetMaxBatchSize(); n > 0 {
			says += fmt.Sprintf(": a batch of up to %d, then dims", n)
		}
		return says + "."
	}
	return ""
}

// paragraphs joins the texts that are not empty.
func paragraphs(parts ...string) string {
	var kept []string
	for _, part := range parts {
		if part != "" {
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, "\n\n")
}

// batching says what max_batch_size does to the shape of an input.
func (p help) batching() string {
	n := p.m.Effective.GetMaxBatchSize()
	list := tensors(p.m.Effective, "input")
	if len(list) == 0 || list[0].typ == modelconfig.DataType_TYPE_INVALID {
		return ""
	}
	shape := typeAndShape(p.m.Effective, list[0])
	if n <= 0 {
		return fmt.Sprintf("Here there is no batch dimension: requests have input %q as %s, which is just its dims.", list[0].name, shape)
	}
	return fmt.Sprintf("Here requests have input %q as %s: a batch of up to %d, then its dims.", list[0].name, shape, n)
}
