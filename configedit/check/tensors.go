package check

import (
	"math"
	"slices"

	"conch/configedit/backends"
	"conch/configedit/diag"
	"conch/configedit/modelconfig"
	"conch/configedit/rule"
)

// tensor is an input or output of the config, with the fields that ModelInput and ModelOutput share.
type tensor struct {
	side    string // "input" or "output"
	index   int
	name    string
	typ     modelconfig.DataType
	dims    []int64
	reshape *modelconfig.ModelTensorReshape
	// shape and nonLinear are is_shape_tensor and is_non_linear_format_io.
	shape, nonLinear bool
	format           modelconfig.ModelInput_Format
}

func (t *tensor) path(rest ...any) []any { return append([]any{t.side, t.index}, rest...) }

// called returns its name in messages.
func (t *tensor) called() string {
	if t.name == "" {
		return say("%s %d", t.side, t.index+1)
	}
	return say("%s %q", t.side, t.name)
}

func tensorsOf(cfg *modelconfig.ModelConfig) []tensor {
	list := make([]tensor, 0, len(cfg.GetInput())+len(cfg.GetOutput()))
	for i, in := range cfg.GetInput() {
		list = append(list, inputTensor(i, in))
	}
	for i, out := range cfg.GetOutput() {
		list = append(list, outputTensor(i, out))
	}
	return list
}

func inputTensor(i int, in *modelconfig.ModelInput) tensor {
	return tensor{
		side: "input", index: i, name: in.Name, typ: in.DataType, dims: in.Dims, reshape: in.Reshape,
		shape: in.IsShapeTensor, nonLinear: in.IsNonLinearFormatIo, format: in.Format,
	}
}

func outputTensor(i int, out *modelconfig.ModelOutput) tensor {
	return tensor{
		side: "output", index: i, name: out.Name, typ: out.DataType, dims: out.Dims, reshape: out.Reshape,
		shape: out.IsShapeTensor, nonLinear: out.IsNonLinearFormatIo,
	}
}

// tensorCheck checks inputs and outputs; first are those seen so far, by side and name.
type tensorCheck struct {
	*checker
	first map[string]*tensor
}

// checkTensors: IO1 to IO14 (ValidateModelIOConfig).
func checkTensors(base *checker) {
	c := tensorCheck{base, map[string]*tensor{}}
	list := tensorsOf(c.cfg)
	for i := range list {
		if c.full() {
			return
		}
		t := &list[i]
		c.tensorName(t)
		c.tensorType(t)
		c.emptyReshape(t)
		c.tensorDims(t)
		c.tensorReshape(t)
		c.tensorFormat(t)
	}
}

// tensorName: IO1 and IO-TWICE.
func (c tensorCheck) tensorName(t *tensor) {
	if t.name == "" {
		if c.missing(t.path("name")...) || c.has(t.path("name")...) && !c.spoiled(t.path()...) {
			c.report(finding{
				rule: rule.IO1, span: c.span(t.path("name")...), args: values(t.side, c.cfg.GetName()),
				message: say("%s has no name", t.called()),
			})
		}
		return
	}
	key := t.side + "/" + t.name
	if before := c.first[key]; before != nil {
		c.report(finding{
			rule: rule.IOTwice, span: c.span(t.path("name")...), message: say("%s is given twice", t.called()),
			related: []diag.Related{{Span: c.span(before.path("name")...), Message: "given here first"}},
		})
		return
	}
	c.first[key] = t
}

func (c tensorCheck) tensorType(t *tensor) {
	path := t.path("data_type")
	if t.typ != modelconfig.DataType_TYPE_INVALID || c.has(path...) && c.spoiled(t.path()...) {
		return
	}
	d := finding{
		rule: rule.IO2, span: c.absent(t, "data_type"), args: values(t.side, t.name, c.cfg.GetName()),
		message: say("%s does not say its data_type", t.called()),
	}
	if c.has(path...) {
		d.span, d.message = c.span(path...), say("%s cannot have the data type TYPE_INVALID", t.called())
	} else if c.spoiled(t.path()...) {
		return
	}
	if known, ok := c.inferred[t.side+"/"+t.name+"/type"]; ok && c.m.Facts.AutoComplete {
		c.inferredSentence(d, known)
		return
	}
	if onnx := c.onnxTensor(t); onnx != nil && onnx.Type != modelconfig.DataType_TYPE_INVALID {
		d.fixes = c.giveType(t, onnx.Type)
	}
	c.ioUnlessFilled(t, d)
}

// giveType writes the data type that the tensor has elsewhere.
func (c tensorCheck) giveType(t *tensor, typ modelconfig.DataType) []diag.Fix {
	if c.has(t.path("data_type")...) {
		return replace("replace TYPE_INVALID by "+typ.String(), c.span(t.path("data_type")...), typ.String())
	}
	return c.insert("data_type: "+typ.String(), t.path()...)
}

// absent returns the place to point at if a tensor lacks a field: its name, the word that people look for.
func (c tensorCheck) absent(t *tensor, field string) diag.Span {
	if t.name != "" && c.has(t.path("name")...) {
		return c.span(t.path("name")...)
	}
	return c.span(t.path(field)...)
}

func (c tensorCheck) tensorDims(t *tensor) {
	if len(t.dims) == 0 {
		c.noDims(t)
		return
	}
	for i, dim := range t.dims {
		if dim >= 1 || dim == -1 {
			continue
		}
		span := c.span(t.path("dims", i)...)
		d := finding{
			rule: rule.IO5, span: span, args: values(t.side, t.name, c.cfg.GetName()),
			message: say("%s has a dimension of %d; it must be at least 1, or -1 where the size varies", t.called(), dim),
		}
		if c.has(t.path("dims", i)...) {
			d.fixes = replace(say("replace %d by -1", dim), span, "-1")
		}
		if onnx := c.onnxDims(t); len(onnx) == len(t.dims) && onnx[i] != -1 {
			d.fixes = replace(say("replace %d by %d, as the model file has it", dim, onnx[i]), span, say("%d", onnx[i]))
		}
		c.report(d)
		return
	}
}

func (c tensorCheck) noDims(t *tensor) {
	path := t.path("dims")
	if c.spoiled(t.path()...) {
		return
	}
	d := finding{
		rule: rule.IO3, span: c.absent(t, "dims"), args: values(t.side, t.name, c.cfg.GetName()),
		message: say("%s does not say its dims", t.called()),
	}
	if c.has(path...) {
		d.span, d.message = c.span(path...), say("the dims of %s are empty; a single value has dims: [ 1 ]", t.called())
		d.fixes = c.setDims([]int64{1}, path...)
	}
	if known, ok := c.inferred[t.side+"/"+t.name+"/dims"]; ok && c.m.Facts.AutoComplete {
		c.inferredSentence(d, known)
		return
	}
	if dims := c.onnxDims(t); len(dims) > 0 {
		d.fixes = c.setDims(dims, path...)
	}
	c.ioUnlessFilled(t, d)
}

// unlimited is the element count of a shape that varies.
const unlimited = -1

// elements returns the number of elements of a shape. No dims mean 0 elements, as in Triton's GetElementCount.
func elements(dims []int64) int64 {
	if len(dims) == 0 {
		return 0
	}
	count := int64(1)
	for _, d := range dims {
		if d == -1 {
			return unlimited
		}
		count *= d
	}
	return count
}

// emptyReshape: IO4, which Triton checks before the single dims. The backend may still switch batching on.
func (c tensorCheck) emptyReshape(t *tensor) {
	path := t.path("reshape", "shape")
	if t.reshape == nil || len(t.reshape.Shape) > 0 || len(t.dims) == 0 || c.cfg.GetMaxBatchSize() != 0 ||
		c.has(path...) && c.spoiled(t.path("reshape")...) || c.unread(nil, "max_batch_size") {
		return
	}
	f := finding{
		rule: rule.IO4, span: c.span(path...), args: values(t.side, t.name, c.cfg.GetName()),
		message: say("the reshape of %s is empty; without batching the tensor would have no dimensions", t.called()),
	}
	if completes(c.m) && !c.isEnsemble() {
		f.message, f.taken = f.message+"; the backend may switch batching on", true
	}
	c.report(f)
}

// tensorReshape: IO6 to IO9.
func (c tensorCheck) tensorReshape(t *tensor) {
	if t.reshape == nil || len(t.dims) == 0 || slices.ContainsFunc(t.dims, wrongDim) {
		return
	}
	shape, span := t.reshape.GetShape(), c.span(t.path("reshape", "shape")...)
	report := func(r *rule.Rule, message string) {
		c.report(finding{rule: r, span: span, message: message, args: values(t.side, t.name, c.cfg.GetName())})
	}
	switch {
	case c.has(t.path("reshape", "shape")...) && c.spoiled(t.path("reshape")...):
	case len(shape) == 0 && c.cfg.GetMaxBatchSize() == 0: // IO4
	case slices.ContainsFunc(shape, wrongDim):
		span = c.span(t.path("reshape", "shape", slices.IndexFunc(shape, wrongDim))...)
		report(rule.IO6, say("the reshape of %s has a dimension of %d; it must be at least 1, or -1 where the size varies",
			t.called(), shape[slices.IndexFunc(shape, wrongDim)]))
	default:
		c.reshapeSize(t, report)
	}
}

func wrongDim(d int64) bool { return d < 1 && d != -1 }

func (c tensorCheck) reshapeSize(t *tensor, report func(r *rule.Rule, message string)) {
	shape := t.reshape.GetShape()
	if overflows(t.dims) || overflows(shape) {
		c.overflow(t)
		return
	}
	dims, reshaped := elements(t.dims), elements(shape)
	if dims == reshaped && dims != unlimited || reshaped == 0 && dims == 1 {
		return
	}
	both := say("dims %s of %s cannot be read as reshape %s", shown(t.dims), t.called(), shown(shape))
	if dims != unlimited || reshaped != unlimited {
		report(rule.IO7, both+"; "+countOf(dims)+" against "+countOf(reshaped))
		return
	}
	a, b := between(t.dims), between(shape)
	switch {
	case len(a) != len(b):
		report(rule.IO8, both+"; different numbers of dimensions vary")
	case !slices.Equal(a, b):
		report(rule.IO9, both+"; between the dimensions that vary, the sizes differ")
	}
}

// overflow: IO10.
func (c tensorCheck) overflow(t *tensor) {
	c.report(finding{
		rule: rule.IO10, span: c.span(t.path("dims")...), args: values(t.name, c.cfg.GetName()),
		message: say("%s has more elements than can be counted", t.called()),
	})
}

func overflows(dims []int64) bool {
	count := int64(1)
	for _, d := range dims {
		if d == -1 {
			return false
		}
		if d > 0 && count > math.MaxInt64/d {
			return true
		}
		count *= max(d, 1)
	}
	return false
}

func countOf(elements int64) string {
	switch elements {
	case unlimited:
		return "any number of elements"
	case 0:
		return "1 element"
	}
	return say("%d elements", elements)
}

// between returns the products of the dimensions before, between and after those that vary.
func between(dims []int64) []int64 {
	products, product := []int64{}, int64(1)
	for _, d := range dims {
		if d == -1 {
			products, product = append(products, product), 1
			continue
		}
		product *= d
	}
	return append(products, product)
}

// tensorFormat: IO11 to IO14.
func (c tensorCheck) tensorFormat(t *tensor) {
	if t.format != modelconfig.ModelInput_FORMAT_NONE && len(t.dims) != 3 && len(t.dims) > 0 &&
		(t.format == modelconfig.ModelInput_FORMAT_NHWC || t.format == modelconfig.ModelInput_FORMAT_NCHW) {
		c.report(finding{
			rule: rule.IO11, span: c.span(t.path("format")...), args: values(c.cfg.GetName()),
			message: say("%s is for images with 3 dims, and %s has %d", t.format, t.called(), len(t.dims)),
			fixes:   c.remove("remove format", t.path("format")...),
		})
	}
	if c.undecided() { // it may be a plan
		return
	}
	if c.cfg.GetPlatform() != backends.TensorRTPlan.Platform {
		c.onlyTensorRT(t)
		return
	}
	if t.nonLinear && len(t.dims) != 3 && len(t.dims) > 0 {
		c.report(finding{
			rule: rule.IO14, span: c.span(t.path("is_non_linear_format_io")...), args: values(t.side, c.cfg.GetName()),
			message: say("a non-linear format needs 3 dims, and %s has %d", t.called(), len(t.dims)),
		})
	}
}

func (c tensorCheck) onlyTensorRT(t *tensor) {
	report := func(r *rule.Rule, field string) {
		c.report(finding{
			rule: r, span: c.span(t.path(field)...), args: values(c.cfg.GetName()),
			message: say("%s is for TensorRT models only", field), fixes: c.remove("remove "+field, t.path(field)...),
		})
	}
	if t.shape {
		report(rule.IO12, "is_shape_tensor")
	}
	if t.nonLinear {
		report(rule.IO13, "is_non_linear_format_io")
	}
}
