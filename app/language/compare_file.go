package language

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"conch/configedit/backends"
	"conch/configedit/derive"
	"conch/configedit/modelconfig"
	"conch/configedit/modelfile"
)

// modelFile is what a model file declares, in the words of a comparison.
type modelFile struct {
	path            string
	inputs, outputs []fileTensor
	batches         string
	// wrong are the parts of the config that do not agree with the file, by path.
	wrong map[string]bool
}

// fileTensor is an input or output of a model file. What the file does not declare is "".
type fileTensor struct {
	name, typ, shape string
	// as describes the tensor where its type and shape are unknown: an argument of forward.
	as string
	// needed means that the config has to list it. taken means that an input or output of the config
	// matches it.
	needed, taken bool
}

// modelFile returns what the file of the model's backend declares; nil when it declares nothing.
func (m *Model) modelFile() *modelFile {
	r := m.understand()
	switch cfg := r.effective; {
	case r.files.Facts.ONNX != nil:
		return onnxSays(r.files.File, r.files.Facts.ONNX, cfg)
	case r.files.Facts.SavedModel != nil && cfg.GetBackend() == backends.TensorFlow:
		return savedSays(r.files.File, r.files.Facts, cfg)
	case r.files.Facts.OpenVINO != nil && cfg.GetBackend() == backends.OpenVINO:
		return openVINOSays(r.files.File, r.files.Facts, cfg)
	case r.files.Facts.Torch != nil && r.files.Facts.Torch.Known && cfg.GetBackend() == backends.PyTorch:
		return torchSays(r.files.File, r.files.Facts.Torch, cfg)
	}
	return nil
}

func onnxSays(path string, model *modelfile.ONNX, cfg *modelconfig.ModelConfig) *modelFile {
	f := &modelFile{path: path, wrong: map[string]bool{}}
	f.inputs = append(shapedTensors(model.Inputs, true), shapedTensors(model.Overridable, false)...)
	f.outputs = shapedTensors(model.Outputs, false)
	f.batches = batchWords(model.Inputs, model.Outputs)
	f.wrong["max_batch_size"] = f.batches == noBatches && cfg.GetMaxBatchSize() > 0
	f.compare("input", slices.Concat(model.Inputs, model.Overridable), cfg)
	f.compare("output", model.Outputs, cfg)
	return f
}

// savedSays reads the signature that the config names; nil where there is none.
func savedSays(path string, facts derive.Facts, cfg *modelconfig.ModelConfig) *modelFile {
	signature, err := derive.SavedSignature(cfg, facts.SavedModel)
	if err != nil || signature == nil {
		return nil
	}
	f := &modelFile{path: path, wrong: wrongIn(derive.CheckSavedModel(cfg, facts.SavedModel, facts.AutoComplete))}
	f.inputs, f.outputs = shapedTensors(signature.Inputs, true), shapedTensors(signature.Outputs, false)
	f.batches = batchWords(signature.Inputs, signature.Outputs)
	return f
}

// openVINOSays leaves out whether the file has batches: the backend sets the first dimension itself.
func openVINOSays(path string, facts derive.Facts, cfg *modelconfig.ModelConfig) *modelFile {
	model := facts.OpenVINO
	f := &modelFile{path: path, wrong: wrongIn(derive.CheckOpenVINO(cfg, model, facts.AutoComplete))}
	f.inputs, f.outputs = shapedTensors(model.Inputs, true), shapedTensors(model.Outputs, false)
	return f
}

// torchSays lists the arguments of forward. Such a file has no types of elements and no shapes.
func torchSays(path string, model *modelfile.TorchScript, cfg *modelconfig.ModelConfig) *modelFile {
	f := &modelFile{path: path, wrong: wrongIn(derive.CheckTorch(cfg, model))}
	for i, a := range model.Arguments {
		f.inputs = append(f.inputs, fileTensor{name: a.Name, as: fmt.Sprintf("%s: %s, place %d", a.Name, a.Type, i), needed: true})
	}
	for i, typ := range model.Outputs() {
		f.outputs = append(f.outputs, fileTensor{as: fmt.Sprintf("%s, place %d", typ, i)})
	}
	return f
}

// wrongIn returns the places of problems.
func wrongIn(problems []*derive.Problem) map[string]bool {
	wrong := map[string]bool{}
	for _, p := range problems {
		wrong[PathText(p.Path)] = true
	}
	return wrong
}

func shapedTensors(list []modelfile.Tensor, needed bool) []fileTensor {
	out := make([]fileTensor, len(list))
	for i := range list {
		out[i] = fileTensor{name: list[i].Name, typ: list[i].Type.String(), shape: symbols(&list[i]), needed: needed}
	}
	return out
}

// compare notes where ONNX Runtime would not accept the config's types and shapes.
func (f *modelFile) compare(side string, list []modelfile.Tensor, cfg *modelconfig.ModelConfig) {
	for i, t := range declared(side, cfg) {
		at := slices.IndexFunc(list, func(in modelfile.Tensor) bool { return in.Name == t.name })
		path := func(field string) string { return PathText([]any{side, i, field}) }
		if at < 0 {
			f.wrong[path("name")] = true
			continue
		}
		f.wrong[path("data_type")] = list[at].Type != t.typ
		f.wrong[path("dims")] = list[at].Shaped && !goes(side, shapeOf(cfg, side, i), &list[at])
	}
}

// find returns the tensor that an input or output of the config means. It matches by name; where names
// mean nothing, by the index at the end of the name; else by order.
func (f *modelFile) find(side, name string, i int) *fileTensor {
	list := f.inputs
	if side == "output" {
		list = f.outputs
	}
	if at := slices.IndexFunc(list, func(t fileTensor) bool { return t.name == name }); at >= 0 {
		return &list[at]
	}
	if len(list) == 0 || list[0].as == "" {
		return nil
	}
	if _, place, ok := strings.Cut(name, "__"); ok {
		if n, err := strconv.Atoi(place); err == nil {
			i = n
		}
	}
	if i < 0 || i >= len(list) {
		return nil
	}
	return &list[i]
}

// tensor adds the model file's values to the fields of an input or output.
func (c *comparison) tensor(side string, i int) {
	t := declared(side, c.effective)[i]
	shape := Compared{Label: "shape in requests", Depth: 1, Effective: shapeText(shape(c.effective, t.dims))}
	if len(t.dims) == 0 {
		shape.Effective = ""
	}
	defer func() { c.fields = append(c.fields, shape) }()
	if c.file == nil {
		return
	}
	wrong := func(field string) bool { return c.file.wrong[PathText([]any{side, i, field})] }
	shape.Differs = wrong("dims") || wrong("reshape") || wrong("allow_ragged_batch")
	file := c.file.find(side, t.name, i)
	if file == nil || wrong("name") && file.as == "" {
		c.at(side, i).Differs = true
		shape.ModelFile, shape.Differs = "no such "+side, true
		return
	}
	file.taken = true
	shape.ModelFile = file.shape
	row := c.at(side, i, "data_type")
	row.ModelFile, row.Differs = file.typ, wrong("data_type")
	if file.as != "" {
		c.fields = append(c.fields, Compared{Label: forwardLabel(side), Depth: 1, ModelFile: file.as, Differs: wrong("name")})
	}
}

// forwardLabel describes a tensor of a TorchScript model.
func forwardLabel(side string) string {
	if side == "input" {
		return "argument of forward"
	}
	return "given by forward"
}

// declaration is an input or output of the effective config.
type declaration struct {
	name string
	typ  modelconfig.DataType
	dims []int64
}

func declared(side string, cfg *modelconfig.ModelConfig) []declaration {
	var list []declaration
	if side == "input" {
		for _, in := range cfg.GetInput() {
			list = append(list, declaration{in.Name, in.DataType, in.Dims})
		}
		return list
	}
	for _, out := range cfg.GetOutput() {
		list = append(list, declaration{out.Name, out.DataType, out.Dims})
	}
	return list
}

// shapeOf returns the shape that the model itself gets: the reshape where there is one
// (docs/triton/onnx.md, "What must agree").
func shapeOf(cfg *modelconfig.ModelConfig, side string, i int) []int64 {
	var dims []int64
	var reshape *modelconfig.ModelTensorReshape
	if side == "input" {
		dims, reshape = cfg.Input[i].Dims, cfg.Input[i].Reshape
	} else {
		dims, reshape = cfg.Output[i].Dims, cfg.Output[i].Reshape
	}
	if reshape != nil {
		dims = reshape.Shape
	}
	return shape(cfg, dims)
}

// goes reports whether ONNX Runtime accepts a shape for that of the file. For an input, a variable
// dimension of the file accepts any number; for an output, only -1 (docs/triton/onnx.md, "What must
// agree").
func goes(side string, config []int64, file *modelfile.Tensor) bool {
	if len(file.Dims) == 0 { // a scalar: any shape with one element
		return !slices.ContainsFunc(config, func(n int64) bool { return n != 1 && n != -1 })
	}
	return file.TakesAll(side, config)
}

// unlisted adds the tensors that only the model file has.
func (c *comparison) unlisted() {
	if c.file == nil {
		return
	}
	add := func(side string, list []fileTensor) {
		for i, t := range list {
			if t.taken {
				continue
			}
			c.fields = append(c.fields, Compared{Label: strings.TrimSpace(side + " " + t.name), Group: true, Differs: t.needed})
			if t.as != "" {
				c.fields = append(c.fields, Compared{Label: forwardLabel(side), Depth: 1, ModelFile: list[i].as})
				continue
			}
			c.fields = append(c.fields,
				Compared{Label: "data_type", Depth: 1, ModelFile: t.typ},
				Compared{Label: "shape in requests", Depth: 1, ModelFile: t.shape})
		}
	}
	add("input", c.file.inputs)
	add("output", c.file.outputs)
}

const noBatches = "no batches"

// batchWords say whether the model file allows batching: every tensor needs a variable first
// dimension.
func batchWords(lists ...[]modelfile.Tensor) string {
	for _, t := range slices.Concat(lists...) {
		if t.Shaped && (len(t.Dims) == 0 || t.Dims[0].Size != -1) {
			return noBatches
		}
	}
	return "any batch"
}

// symbols writes the shape of a tensor of the file, with the file's names for variable dimensions.
func symbols(t *modelfile.Tensor) string {
	if !t.Shaped {
		return "any shape"
	}
	words := make([]string, len(t.Dims))
	for i, d := range t.Dims {
		words[i] = fmt.Sprint(d.Size)
		if d.Size == -1 && d.Symbol != "" {
			words[i] = d.Symbol
		}
	}
	return "[" + strings.Join(words, ", ") + "]"
}

func shapeText(dims []int64) string {
	words := make([]string, len(dims))
	for i, d := range dims {
		words[i] = fmt.Sprint(d)
	}
	return "[" + strings.Join(words, ", ") + "]"
}
