package starter

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"conch/configedit/modelconfig"
)

// plan is what the program reads and what it answers.
type plan struct {
	inputs                []input
	outputs               []output
	batches, decoupled    bool
	addsInput, addsOutput bool
}

// tensor is one input or output as the program sees it: without the dimension of the batch, and with the shape that the
// config's reshape gives it.
type tensor struct {
	name string
	typ  modelconfig.DataType
	dims []int64
}

type input struct {
	tensor
	optional bool
	variable string
}

type output struct {
	tensor
	// from is the input that it answers with; nil for zeros.
	from *input
	// like is an input that has its shape, for zeros; nil where there is none.
	like *input
}

// The tensors of a model whose config names none.
const (
	inputName  = "INPUT"
	outputName = "OUTPUT"
)

// Tensors are the input and the output of a new model, as its config writes them.
func Tensors() string {
	written := func(field string, t tensor) string {
		return fmt.Sprintf("%s [\n  { name: %q data_type: %s dims: [ %d ] }\n]\n", field, t.name, t.typ, t.dims[0])
	}
	return written("input", unnamed(inputName)) + written("output", unnamed(outputName))
}

func unnamed(name string) tensor {
	return tensor{name: name, typ: modelconfig.DataType_TYPE_FP32, dims: []int64{-1}}
}

func planOf(cfg *modelconfig.ModelConfig) plan {
	p := plan{batches: cfg.GetMaxBatchSize() > 0, decoupled: cfg.GetModelTransactionPolicy().GetDecoupled()}
	for _, in := range cfg.GetInput() {
		p.inputs = append(p.inputs, input{tensor: tensorOf(in.Name, in.DataType, in.Dims, in.Reshape), optional: in.Optional})
	}
	for _, out := range cfg.GetOutput() {
		p.outputs = append(p.outputs, output{tensor: tensorOf(out.Name, out.DataType, out.Dims, out.Reshape)})
	}
	if p.addsInput = len(p.inputs) == 0; p.addsInput {
		p.inputs = []input{{tensor: unnamed(inputName)}}
	}
	if p.addsOutput = len(p.outputs) == 0; p.addsOutput {
		p.outputs = []output{{tensor: unnamed(outputName)}}
	}
	p.nameVariables()
	for i := range p.outputs {
		p.outputs[i].from, p.outputs[i].like = p.sourceOf(p.outputs[i].tensor)
	}
	return p
}

func tensorOf(name string, typ modelconfig.DataType, dims []int64, reshape *modelconfig.ModelTensorReshape) tensor {
	if reshape != nil {
		dims = reshape.Shape
	}
	return tensor{name: name, typ: typ, dims: dims}
}

// sourceOf finds an input that an output can repeat, or else one that at least has its shape.
func (p *plan) sourceOf(out tensor) (from, like *input) {
	for i := range p.inputs {
		in := &p.inputs[i]
		switch {
		case in.optional || !slices.Equal(in.dims, out.dims):
		case in.typ == out.typ:
			return in, nil
		case like == nil && !in.isBF16() && !out.isBF16():
			like = in
		}
	}
	return nil, like
}

// nameVariables gives each input a variable of its own. The prefix keeps it from being a word of Python.
func (p *plan) nameVariables() {
	taken := map[string]bool{}
	for i := range p.inputs {
		plain := "in_" + strings.Map(asIdentifier, p.inputs[i].name)
		name := plain
		for n := 2; taken[name]; n++ {
			name = fmt.Sprintf("%s_%d", plain, n)
		}
		taken[name] = true
		p.inputs[i].variable = name
	}
}

func asIdentifier(r rune) rune {
	switch {
	case r >= 'A' && r <= 'Z':
		return r - 'A' + 'a'
	case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
		return r
	}
	return '_'
}

// answers says what the program answers with.
func (p *plan) answers() string {
	repeats := 0
	for _, out := range p.outputs {
		if out.from != nil {
			repeats++
		}
	}
	mine := "its inputs"
	if len(p.inputs) == 1 {
		mine = "its input"
	}
	switch repeats {
	case 0:
		return "zeros"
	case len(p.outputs):
		return mine
	}
	return mine + " and zeros"
}

// needsBatch reports whether the size of the batch is asked for.
func (p *plan) needsBatch() bool {
	return p.batches && slices.ContainsFunc(p.outputs, func(o output) bool { return o.from == nil && o.like == nil })
}

// guessesSize reports whether an output has a dimension whose size nothing tells.
func (p *plan) guessesSize() bool {
	return slices.ContainsFunc(p.outputs, func(o output) bool {
		return o.from == nil && o.like == nil && slices.Contains(o.dims, -1)
	})
}

// batch is the size of the batch. Where every input may be left out, any that is there tells it.
func (p *plan) batch() string {
	for _, in := range p.inputs {
		switch {
		case in.optional:
		case in.isBF16():
			return in.variable + ".shape()[0]"
		default:
			return in.variable + ".shape[0]"
		}
	}
	return "request.inputs()[0].shape()[0] if request.inputs() else 1"
}

func (t tensor) isBF16() bool { return t.typ == modelconfig.DataType_TYPE_BF16 }

// entry describes the tensor as auto_complete_config takes it.
func (t tensor) entry() string {
	return fmt.Sprintf(`{"name": %s, "data_type": "%s", "dims": [%s]}`, strconv.Quote(t.name), t.typ, joined(nil, t.dims))
}

// read are the lines that read an input, with its type and shape.
func (in *input) read(batches bool) []string {
	get, about := fmt.Sprintf("pb_utils.get_input_tensor_by_name(request, %s)", strconv.Quote(in.name)), "# "+in.described(batches)
	switch {
	case in.optional:
		return []string{about + ", or None where it is left out", in.variable + " = " + get}
	case in.isBF16():
		return []string{about + ", which NumPy lacks: read it by DLPack", in.variable + " = " + get}
	}
	return []string{"tensor = " + get, in.variable + " = tensor.as_numpy()  " + about}
}

// described tells type and shape.
func (t tensor) described(batches bool) string {
	var first []string
	if batches {
		first = []string{"batch"}
	}
	return fmt.Sprintf("%s [%s]", strings.TrimPrefix(t.typ.String(), "TYPE_"), joined(first, t.dims))
}

// made is the expression that makes an output.
func (o *output) made(batches bool) string {
	name := strconv.Quote(o.name)
	switch {
	case o.from != nil && o.isBF16():
		return fmt.Sprintf("pb_utils.Tensor.from_dlpack(%s, %s.to_dlpack())", name, o.from.variable)
	case o.from != nil:
		return fmt.Sprintf("pb_utils.Tensor(%s, %s.astype(self.types[%s]))", name, o.from.variable, name)
	case o.isBF16():
		return fmt.Sprintf("pb_utils.Tensor.from_dlpack(%s, torch.zeros(%s, dtype=torch.bfloat16))", name, o.shape(batches))
	case o.typ == modelconfig.DataType_TYPE_STRING:
		return fmt.Sprintf(`pb_utils.Tensor(%s, np.full(%s, b"", self.types[%s]))`, name, o.shape(batches), name)
	}
	return fmt.Sprintf("pb_utils.Tensor(%s, np.zeros(%s, self.types[%s]))", name, o.shape(batches), name)
}

// shape is the shape of zeros, as a tuple.
func (o *output) shape(batches bool) string {
	if o.like != nil {
		return o.like.variable + ".shape"
	}
	var first []string
	if batches {
		first = []string{"batch"}
	}
	sizes := make([]int64, len(o.dims))
	for i, size := range o.dims {
		sizes[i] = cmp.Or(max(size, 0), 1)
	}
	if len(first)+len(sizes) == 1 {
		return "(" + joined(first, sizes) + ",)"
	}
	return "(" + joined(first, sizes) + ")"
}

func joined(first []string, dims []int64) string {
	for _, size := range dims {
		first = append(first, strconv.FormatInt(size, 10))
	}
	return strings.Join(first, ", ")
}
