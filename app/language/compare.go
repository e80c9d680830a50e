package language

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"conch/configedit/backends"
	"conch/configedit/derive"
	"conch/configedit/diag"
	"conch/configedit/modelconfig"
	"conch/configedit/modelfile"
	"conch/configedit/python"
	"conch/configedit/text"
)

// Comparison shows a config field by field: as written, as Triton runs it, and as the model file has
// it.
type Comparison struct {
	Fields []Compared
	// ModelFile is relative to the model's folder; "" when no model file can be read.
	ModelFile string
	// Note says why there is no model file to compare with, or describes the file.
	Note string
}

// Compared is one line of a Comparison. An absent value is "".
type Compared struct {
	Label string
	Depth int
	// Group means that the line is a heading. Its fields follow, one level deeper.
	Group bool
	// File is the value as written, Effective as Triton runs it, and ModelFile as the model file has
	// it.
	File, Effective, ModelFile string
	// Reason says where an effective value comes from that is not written.
	Reason string
	// Differs means that the model file does not agree with the rest.
	Differs bool
	// Span is where the field is in the text; empty when it is not there.
	Span diag.Span
	// path is the field's path as text; "" for rows that only the model file has.
	path string
}

// mostCompared limits the lines: nobody compares more by eye.
const mostCompared = 2000

// Compare compares a model's config with what Triton, as it is settled, and the model file make of it.
func (m *Model) Compare(settled Settled) Comparison {
	r := m.understand()
	c := &comparison{decoded: r.decoded, effective: settled.Config, reasons: map[string]string{}}
	for _, f := range settled.Filled {
		c.reasons[PathText(f.Path)] = f.Reason
	}
	c.file = m.modelFile()
	c.message(0, nil, r.decoded.Config.ProtoReflect(), settled.Config.ProtoReflect())
	out := Comparison{Fields: c.fields[:min(len(c.fields), mostCompared)], Note: m.fileNote()}
	if r.decoded.Template != nil {
		out.Note = "This is a template: 1 is shown for each value that has to be filled in. " + out.Note
	}
	if c.file != nil {
		out.ModelFile = c.file.path
	}
	return out
}

// fileNote describes the model file.
func (m *Model) fileNote() string {
	r := m.understand()
	switch name := r.effective.GetDefaultModelFilename(); {
	case backends.IsEnsemble(r.effective):
		return "An ensemble has no model file: the models of its steps define the inputs and outputs."
	case r.files.Broken != nil:
		return fmt.Sprintf("The model file cannot be read: %v.", r.files.Broken)
	case r.files.Facts.ONNX != nil:
		return onnxNote(r.files.Facts.ONNX)
	case r.files.Facts.SavedModel != nil && r.effective.GetBackend() == backends.TensorFlow:
		return savedNote(r.files.Facts.SavedModel, r.effective)
	case r.files.Facts.OpenVINO != nil && r.effective.GetBackend() == backends.OpenVINO:
		return fmt.Sprintf("OpenVINO model: the inputs are %s, the outputs %s.", tensorNames(r.files.Facts.OpenVINO.Inputs), tensorNames(r.files.Facts.OpenVINO.Outputs))
	case r.files.Facts.Torch != nil && r.effective.GetBackend() == backends.PyTorch:
		return torchNote(r.files.Facts.Torch)
	case r.files.Facts.Plan != nil && r.effective.GetBackend() == backends.TensorRT:
		return planNote(r.files.Facts.Plan)
	case r.files.File != "":
		return "There is no model file yet: " + r.files.File + " is missing."
	case r.answer != nil:
		return fmt.Sprintf("%s does not declare its inputs before it runs. Its %s ran last on %s.", name, python.AutoComplete, r.answer.Day())
	case name != "":
		return name + " does not declare its inputs before it runs."
	}
	return "There is no model file."
}

// savedNote says what the inputs and outputs of the signature are that counts.
func savedNote(model *modelfile.SavedModel, cfg *modelconfig.ModelConfig) string {
	s, err := derive.SavedSignature(cfg, model)
	if err != nil || s == nil {
		return "TensorFlow saved model, without the signature that the config names."
	}
	return fmt.Sprintf("TensorFlow saved model: signature %q has the inputs %s and the outputs %s.", s.Name, tensorNames(s.Inputs), tensorNames(s.Outputs))
}

// torchNote says what forward takes and returns.
func torchNote(model *modelfile.TorchScript) string {
	if !model.Known || !model.Forward {
		return "TorchScript, which does not declare its inputs."
	}
	arguments := make([]string, len(model.Arguments))
	for i, a := range model.Arguments {
		arguments[i] = a.Name + ": " + a.Type
	}
	return fmt.Sprintf("TorchScript: forward(%s) returns %s.", strings.Join(arguments, ", "), cmp.Or(model.Returns, "an undeclared type"))
}

// planNote says which program can read the plan.
func planNote(p *modelfile.Plan) string {
	if p.Version == "" {
		return "TensorRT plan, which only TensorRT can read."
	}
	return "TensorRT plan, made by TensorRT " + p.Version + ", which is the version that reads it."
}

func tensorNames(list []modelfile.Tensor) string {
	names := make([]string, len(list))
	for i := range list {
		names[i] = list[i].Name
	}
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, ", ")
}

func onnxNote(file *modelfile.ONNX) string {
	note := fmt.Sprintf("ONNX, %d nodes", file.Nodes)
	for _, set := range file.Opsets {
		if set.Domain == "" {
			note += fmt.Sprintf(", opset %d", set.Version)
		}
	}
	if file.Producer != "" {
		note += ", made by " + file.Producer
	}
	if file.ProducerVersion != "" {
		note += " " + file.ProducerVersion
	}
	return note
}

// comparison builds a Comparison.
type comparison struct {
	decoded   *modelconfig.Decoded
	effective *modelconfig.ModelConfig
	file      *modelFile
	reasons   map[string]string
	fields    []Compared
}

// message compares the fields of a message as written and as run.
func (c *comparison) message(depth int, path []any, written, effective protoreflect.Message) {
	fields := effective.Descriptor().Fields()
	for i := range fields.Len() {
		fd := fields.Get(i)
		at := append(slices.Clone(path), string(fd.Name()))
		switch {
		case fd.IsMap():
			c.entries(depth, at, fd, written.Get(fd).Map(), effective.Get(fd).Map())
		case fd.IsList() && fd.Message() != nil:
			c.elements(depth, at, written.Get(fd).List(), effective.Get(fd).List())
		case !effective.Has(fd) && !c.decoded.Has(at...):
		case fd.Name() == "name" && fd.ContainingMessage().Name() != "ModelConfig": // the heading has it
		case fd.Message() != nil:
			c.group(depth, at, string(fd.Name()))
			c.message(depth+1, at, written.Get(fd).Message(), effective.Get(fd).Message())
		default:
			c.scalar(depth, at, fd, effective.Get(fd))
		}
	}
	if len(path) == 0 {
		c.unlisted()
	}
}

// elements compares a list of messages by index: what Triton adds is at the end.
func (c *comparison) elements(depth int, path []any, written, effective protoreflect.List) {
	side := path[len(path)-1]
	for i := range effective.Len() {
		at := append(slices.Clone(path), i)
		element := effective.Get(i).Message()
		own := element.New()
		if i < written.Len() {
			own = written.Get(i).Message()
		}
		c.group(depth, at, fmt.Sprint(side, " ", called(element, i)))
		c.message(depth+1, at, own, element)
		if len(path) == 1 && (side == "input" || side == "output") {
			c.tensor(side.(string), i)
		}
	}
}

// called returns the name or model of an element, else its index.
func called(element protoreflect.Message, i int) string {
	for _, name := range []protoreflect.Name{"name", "model_name"} {
		fd := element.Descriptor().Fields().ByName(name)
		if fd != nil && element.Get(fd).String() != "" {
			return element.Get(fd).String()
		}
	}
	return fmt.Sprint(i + 1)
}

// entries compares a map by key.
func (c *comparison) entries(depth int, path []any, fd protoreflect.FieldDescriptor, written, effective protoreflect.Map) {
	var keys []protoreflect.MapKey
	for k := range effective.Range {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b protoreflect.MapKey) int { return compareText(a.String(), b.String()) })
	for _, k := range keys {
		at := append(slices.Clone(path), k.Interface())
		if fd.MapValue().Message() == nil {
			c.scalar(depth, at, fd.MapValue(), effective.Get(k))
			c.fields[len(c.fields)-1].Label = fmt.Sprintf("%s %s", fd.Name(), k)
			continue
		}
		c.group(depth, at, fmt.Sprintf("%s %s", fd.Name(), k))
		own := effective.Get(k).Message().New()
		if written.Has(k) {
			own = written.Get(k).Message()
		}
		c.message(depth+1, at, own, effective.Get(k).Message())
	}
}

func compareText(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func (c *comparison) group(depth int, path []any, label string) {
	row := c.row(depth, path, label)
	row.Group = true
	c.fields = append(c.fields, row)
}

func (c *comparison) scalar(depth int, path []any, fd protoreflect.FieldDescriptor, value protoreflect.Value) {
	row := c.row(depth, path, fmt.Sprint(path[len(path)-1]))
	row.Effective = valueText(fd, value)
	if c.decoded.Has(path...) {
		value := path
		if fd.ContainingMessage().IsMapEntry() {
			value = append(slices.Clone(path), "value")
		}
		row.File = c.decoded.File.Slice(c.decoded.Span(value...))
		if fd.IsList() {
			row.File = row.Effective // it may be written in several pieces
		}
	}
	if len(path) == 1 && path[0] == "max_batch_size" && c.file != nil {
		row.ModelFile, row.Differs = c.file.batches, c.file.wrong["max_batch_size"]
	}
	c.fields = append(c.fields, row)
}

func (c *comparison) row(depth int, path []any, label string) Compared {
	row := Compared{Label: label, Depth: depth, path: PathText(path)}
	if c.decoded.Has(path...) {
		row.Span = c.decoded.FieldSpan(path...)
		if _, element := path[len(path)-1].(int); element {
			row.Span = c.decoded.Span(path...)
		}
	} else {
		row.Reason = c.reasons[PathText(path)]
	}
	return row
}

// at is the row of a path; a row that is not shown where there is none.
func (c *comparison) at(path ...any) *Compared {
	want := PathText(path)
	for i := len(c.fields) - 1; i >= 0; i-- {
		if c.fields[i].path == want {
			return &c.fields[i]
		}
	}
	return &Compared{}
}

func valueText(fd protoreflect.FieldDescriptor, value protoreflect.Value) string {
	if fd.IsList() {
		list := value.List()
		out := "["
		for i := range list.Len() {
			if i > 0 {
				out += ","
			}
			out += " " + single(fd, list.Get(i))
		}
		return out + " ]"
	}
	return single(fd, value)
}

func single(fd protoreflect.FieldDescriptor, value protoreflect.Value) string {
	switch {
	case fd.Enum() != nil:
		if v := fd.Enum().Values().ByNumber(value.Enum()); v != nil {
			return string(v.Name())
		}
	case fd.Kind() == protoreflect.StringKind:
		return text.Quote(value.String())
	}
	return fmt.Sprint(value.Interface())
}
