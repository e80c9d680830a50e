package model

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"conch/engine/infer"
	"conch/engine/tensor"
)

// check compares a request with the config, in Triton's order and words (docs/triton/requests.md,
// "Checks"), and sets the request's batch size.
func (c *contract) check(r *infer.Request) error {
	if name, twice := repeated(r.Inputs); twice {
		return refuse(r, "input '%s' already exists in request", name)
	}
	if name, ok := c.unknownOutput(r); ok {
		return infer.Errorf(infer.InvalidArg, "unexpected inference output '%s' for model '%s'", name, c.model)
	}
	if err := c.checkCount(r); err != nil {
		return err
	}
	if err := c.checkTensors(r); err != nil {
		return cmp.Or(c.checkNames(r), err)
	}
	return c.checkPresent(r)
}

// unknownOutput returns the requested output that the model does not have; of several the first by name, as in Triton.
func (c *contract) unknownOutput(r *infer.Request) (name string, found bool) {
	for i := range r.Outputs {
		if out := r.Outputs[i].Name; c.output(out) == nil && (!found || out < name) {
			name, found = out, true
		}
	}
	return name, found
}

// checkNames refuses an input that the model does not have. Triton refuses it before it looks at batch
// sizes and types; Conch compares the names only when another check fails.
func (c *contract) checkNames(r *infer.Request) error {
	for i := range r.Inputs {
		if _, ok := c.byInput[r.Inputs[i].Name]; !ok {
			return infer.Errorf(infer.InvalidArg, "unexpected inference input '%s' for model '%s'", r.Inputs[i].Name, c.model)
		}
	}
	return nil
}

func (c *contract) checkTensors(r *infer.Request) error {
	if err := c.checkBatch(r); err != nil {
		return err
	}
	for i := range r.Inputs {
		if err := c.checkInput(r, &r.Inputs[i]); err != nil {
			return err
		}
	}
	return nil
}

// few is the number of inputs up to which comparing all pairs is faster than a map.
const few = 16

func repeated(inputs []tensor.Tensor) (string, bool) {
	if len(inputs) > few {
		return repeatedAmongMany(inputs)
	}
	for i := range inputs {
		for j := range i {
			if inputs[i].Name == inputs[j].Name {
				return inputs[i].Name, true
			}
		}
	}
	return "", false
}

func repeatedAmongMany(inputs []tensor.Tensor) (string, bool) {
	seen := make(map[string]bool, len(inputs))
	for i := range inputs {
		if seen[inputs[i].Name] {
			return inputs[i].Name, true
		}
		seen[inputs[i].Name] = true
	}
	return "", false
}

func (c *contract) checkCount(r *infer.Request) error {
	got := len(r.Inputs)
	switch {
	case got >= c.required && got <= len(c.inputs):
		return nil
	case c.required == len(c.inputs):
		return refuse(r, "expected %d inputs but got %d inputs for model '%s'. %s", c.required, got, c.model, c.missing(r))
	}
	return refuse(r, "expected number of inputs between %d and %d but got %d inputs for model '%s'. %s",
		c.required, len(c.inputs), got, c.model, c.missing(r))
}

// checkPresent refuses a request without a required input although the number of inputs is right, and one without any
// input that would tell its batch size. Triton gives such requests to the backend, which then fails.
func (c *contract) checkPresent(r *infer.Request) error {
	if c.required == len(c.inputs) {
		return nil
	}
	if c.measured && len(r.Inputs) == 0 {
		return refuse(r, "out of bounds index 0: request has 0 inputs")
	}
	for i := range c.inputs {
		if !c.inputs[i].optional && r.Input(c.inputs[i].name) == nil {
			return refuse(r, "model '%s' did not get all inputs that are not optional. %s", c.model, c.missing(r))
		}
	}
	return nil
}

func (c *contract) missing(r *infer.Request) string {
	var got, lacking []string
	has := make(map[string]bool, len(r.Inputs))
	for i := range r.Inputs {
		got = append(got, r.Inputs[i].Name)
		has[r.Inputs[i].Name] = true
	}
	for i := range c.inputs {
		if !c.inputs[i].optional && !has[c.inputs[i].name] {
			lacking = append(lacking, c.inputs[i].name)
		}
	}
	const none = "]" // a lone bracket, as in Triton
	return "Got input(s) " + quotedList(got, "[]") + ", but missing required input(s) " + quotedList(lacking, none) +
		". Please provide all required input(s)."
}

// quotedList writes a list of names as Triton does.
func quotedList(names []string, empty string) string {
	if len(names) == 0 {
		return empty
	}
	return "['" + strings.Join(names, "','") + "']"
}

func (c *contract) checkBatch(r *infer.Request) error {
	r.Batch = 0
	if c.maxBatch == 0 {
		return nil
	}
	for i := range r.Inputs {
		in := &r.Inputs[i]
		switch {
		case len(in.Shape) == 0:
			return refuse(r, "input '%s' has no shape but model requires batch dimension for '%s'", in.Name, c.model)
		case i == 0:
			r.Batch = in.Shape[0]
		case in.Shape[0] != r.Batch:
			return refuse(r, "input '%s' batch size does not match other inputs for '%s'", in.Name, c.model)
		}
	}
	if r.Batch < 0 || r.Batch > c.maxBatch {
		return refuse(r, "inference request batch-size must be <= %d for '%s'", c.maxBatch, c.model)
	}
	return nil
}

func (c *contract) checkInput(r *infer.Request, in *tensor.Tensor) error {
	n, ok := c.byInput[in.Name]
	if !ok {
		return c.checkNames(r)
	}
	p := &c.inputs[n]
	if in.Type != p.datatype {
		return refuse(r, "inference input '%s' data-type is '%s', but model '%s' expects '%s'", in.Name, in.Type, c.model, p.datatype)
	}
	item := in.Shape
	if c.maxBatch > 0 {
		item = item[1:]
	}
	if open := slices.Index(item, -1); open >= 0 && len(item) == len(p.dims) && item[:open].Matches(p.dims[:open]) {
		return refuse(r, "All input dimensions should be specified for input '%s' for model '%s', got %s", in.Name, c.model, in.Shape)
	}
	if !item.Matches(p.dims) || slices.ContainsFunc(item, func(d int64) bool { return d < 0 }) {
		return c.wrongShape(r, in, p)
	}
	return c.checkBytes(r, in, item)
}

// batchNote is Triton's hint that the batch dimension may be missing.
const batchNote = "NOTE: Setting a non-zero max_batch_size in the model config requires a batch dimension to be prepended to each input shape. " +
	"If you want to specify the full shape including the batch dim in your input dims config, try setting max_batch_size to zero. " +
	"See the model configuration docs for more info on max_batch_size."

func (c *contract) wrongShape(r *infer.Request, in *tensor.Tensor, p *port) error {
	note := ""
	if c.maxBatch > 0 {
		note = batchNote
	}
	return refuse(r, "unexpected shape for input '%s' for model '%s'. Expected %s, got %s. %s",
		in.Name, c.model, c.full(p), in.Shape, note)
}

// checkBytes compares an input's size with its shape. It refuses a batch of 0 as Triton does: it expects the bytes of one
// item.
func (c *contract) checkBytes(r *infer.Request, in *tensor.Tensor, item tensor.Shape) error {
	shape := in.Shape
	if c.maxBatch > 0 && r.Batch == 0 {
		shape = item
	}
	elements, ok := shape.Elements()
	if !ok {
		return refuse(r, "element count for input '%s' for model '%s' exceeds maximum size of 9223372036854775807", in.Name, c.model)
	}
	if in.Type == tensor.Bytes {
		return c.checkStrings(r, in, elements)
	}
	want, ok := shape.ByteSize(in.Type)
	if !ok {
		return refuse(r, "byte size for input '%s' for model '%s' exceeds maximum size of 9223372036854775807", in.Name, c.model)
	}
	if got := r.ByteSize(in); int64(got) != want {
		return refuse(r, "input byte size mismatch for input '%s' for model '%s'. Expected %d, got %d", in.Name, c.model, want, got)
	}
	return c.checkNothing(r, want)
}

// checkNothing refuses a batch of 0 with the values of one item. Triton gives a model the item without a batch dimension
// then (docs/triton/differences.md, "Order and form").
func (c *contract) checkNothing(r *infer.Request, elements int64) error {
	if c.maxBatch > 0 && r.Batch == 0 && elements > 0 {
		return refuse(r, "inference request batch-size must be >= 1 for '%s'", c.model)
	}
	return nil
}

// checkStrings counts the elements of a BYTES tensor: each is a length, then that many bytes
// (docs/triton/requests.md, "Data types"). An element that is cut off counts, and is refused last: Triton leaves that
// check to the backend.
func (c *contract) checkStrings(r *infer.Request, in *tensor.Tensor, want int64) error {
	rest, got, cut := in.Data, int64(0), error(nil)
	for ; len(rest) > 0; got++ {
		switch {
		case len(rest) < 4:
			return refuse(r, "incomplete string length indicator for inference input '%s' for model '%s', expecting 4 bytes but only %d bytes available. "+
				"Please make sure the string length indicator is in one buffer.", in.Name, c.model, len(rest))
		case got == want:
			return refuse(r, "unexpected number of string elements %d for inference input '%s' for model '%s', expecting %d", got+1, in.Name, c.model, want)
		}
		length := uint64(binary.LittleEndian.Uint32(rest))
		rest = rest[4:]
		if have := uint64(len(rest)); length > have {
			cut = infer.Errorf(infer.InvalidArg, "incomplete string data for inference input '%s', expecting string of length %d but only %d bytes available",
				in.Name, length, have)
			length = have
		}
		rest = rest[length:]
	}
	if got != want {
		return refuse(r, "expected %d string elements for inference input '%s' for model '%s', got %d", want, in.Name, c.model, got)
	}
	return cmp.Or(cut, c.checkNothing(r, want))
}

// refuse makes the error of a request. Most errors begin with the request's id (docs/triton/requests.md,
// "Checks").
func refuse(r *infer.Request, format string, args ...any) error {
	return infer.Errorf(infer.InvalidArg, "%s%s", r.ErrorPrefix(), fmt.Sprintf(format, args...))
}
