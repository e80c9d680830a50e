package httpapi

import (
	"errors"
	"strings"

	"conch/engine/infer"
	"conch/engine/kserve"
	"conch/engine/kserve/httpapi/jsondoc"
	"conch/engine/tensor"
)

// readJSON reads a request's JSON, in Triton's order (docs/triton/http.md, "Infer request").
func (f *inference) readJSON(text []byte) error {
	doc, err := f.c.parse(text)
	if err != nil {
		return err
	}
	if id, ok := doc.Find("id"); ok {
		if f.request.ID, err = id.Text(); err != nil {
			return unparsable("id", err)
		}
	}
	if err := f.readParameters(doc); err != nil {
		return err
	}
	inputs, err := doc.GetArray("inputs")
	if err != nil {
		return unparsable("inputs", err)
	}
	for i := range inputs.Len() {
		if err := f.c.gone(i); err != nil {
			return err
		}
		if err := f.readInput(inputs.At(i)); err != nil {
			return err
		}
	}
	if len(f.tail) > 0 {
		return infer.Errorf(infer.InvalidArg, "unexpected additional input data for model '%s'", f.request.Model)
	}
	return f.readOutputs(doc)
}

// unparsable is Triton's report of a member that is missing or of the wrong type: always INTERNAL.
func unparsable(member string, err error) error {
	return infer.Errorf(infer.Internal, "Unable to parse '%s': %v", member, err)
}

// readParameters reads those of the whole request.
func (f *inference) readParameters(doc *jsondoc.Value) error {
	params, ok := doc.Find("parameters")
	if !ok {
		return nil
	}
	members, err := params.Members()
	if err != nil {
		return infer.Errorf(infer.Internal, "failed to get request params.: %v", err)
	}
	for i := range members {
		if err := f.readParameter(&members[i]); err != nil {
			return err
		}
	}
	return nil
}

func (f *inference) readParameter(m *jsondoc.Member) error {
	var err error
	switch m.Name {
	case "sequence_id":
		err = readSequenceID(&f.request.Sequence, &m.Value)
	case "sequence_start":
		f.request.Sequence.Start, err = m.Value.Bool()
	case "sequence_end":
		f.request.Sequence.End, err = m.Value.Bool()
	case "priority":
		f.request.Priority, err = m.Value.Uint()
	case "timeout":
		var us uint64
		us, err = m.Value.Uint()
		f.request.Timeout = kserve.Microseconds(us)
	case "binary_data_output":
		f.binary, err = m.Value.Bool()
	default:
		return f.readCustom(m)
	}
	if err != nil {
		return unparsable(m.Name, err)
	}
	return nil
}

func readSequenceID(s *infer.Sequence, v *jsondoc.Value) error {
	var err error
	if s.ID, err = v.Uint(); err != nil {
		s.Name, err = v.Text()
	}
	return err
}

// readCustom passes a parameter of the model's own on.
func (f *inference) readCustom(m *jsondoc.Member) error {
	if strings.HasPrefix(m.Name, "triton_") {
		return infer.Errorf(infer.InvalidArg,
			"parameter keys starting with 'triton_' are reserved for Triton usage and should not be specified.")
	}
	value, ok := scalarOf(&m.Value)
	if !ok {
		return infer.Errorf(infer.InvalidArg, "parameter '%s' has invalid type. It should be either 'int', 'bool', or 'string'.", m.Name)
	}
	if err := f.c.account.Grow(entryCost + int64(m.Value.Size())); err != nil {
		return err
	}
	f.setParameter(m.Name, value)
	return nil
}

// scalarOf is a value as a parameter: string, bool, int64, or float64 for any other number.
func scalarOf(v *jsondoc.Value) (any, bool) {
	if s, err := v.Text(); err == nil {
		return s, true
	}
	if b, err := v.Bool(); err == nil {
		return b, true
	}
	if n, err := v.Int(); err == nil {
		return n, true
	}
	if v.Kind() != jsondoc.Number {
		return nil, false
	}
	d, err := v.Double()
	return d, err == nil
}

// readInput reads one of "inputs".
func (f *inference) readInput(in *jsondoc.Value) error {
	source, err := inputSource(in)
	if err != nil {
		return err
	}
	var t tensor.Tensor
	if t.Name, err = in.GetString("name"); err != nil {
		return unparsable("name", err)
	}
	datatype, err := in.GetString("datatype")
	if err != nil {
		return unparsable("datatype", err)
	}
	t.Type, _ = tensor.ParseDataType(datatype)
	if t.Shape, err = f.readShape(in); err != nil {
		var full *infer.Error
		if errors.As(err, &full) {
			return err
		}
		return unparsable("shape", err)
	}
	if f.request.HasInput(t.Name) {
		return infer.Errorf(infer.InvalidArg, "%sinput '%s' already exists in request",
			kserve.RequestPrefix(f.request.ID), t.Name)
	}
	if t.Data, err = f.readSource(&t, source); err != nil {
		return err
	}
	f.request.Inputs = append(f.request.Inputs, t)
	return nil
}

// entryCost is what an input, an output or a parameter takes in a request, its share of a list that grows included.
const entryCost = 256

func (f *inference) readShape(in *jsondoc.Value) (tensor.Shape, error) {
	array, err := in.GetArray("shape")
	if err != nil {
		return nil, err
	}
	if err := f.c.account.Grow(entryCost + 8*int64(array.Len())); err != nil {
		return nil, err
	}
	shape := make(tensor.Shape, 0, array.Len())
	for e := array.Elements(); len(shape) < array.Len(); {
		token, ok := e.Next()
		if !ok || e.Depth() != 1 {
			return nil, jsondoc.ErrNotUint
		}
		n, err := jsondoc.ParseUint(token)
		if err != nil {
			return nil, err
		}
		shape = append(shape, int64(n))
	}
	return shape, nil
}

// readOutputs reads "outputs".
func (f *inference) readOutputs(doc *jsondoc.Value) error {
	if _, ok := doc.Find("outputs"); !ok {
		return nil
	}
	outputs, err := doc.GetArray("outputs")
	if err != nil {
		return unparsable("outputs", err)
	}
	for i := range outputs.Len() {
		if err := f.c.gone(i); err != nil {
			return err
		}
		if err := f.readOutput(outputs.At(i)); err != nil {
			return err
		}
	}
	return nil
}

func (f *inference) readOutput(out *jsondoc.Value) error {
	name, err := out.GetString("name")
	if err != nil {
		return unparsable("name", err)
	}
	params, ok := out.Find("parameters")
	if !ok {
		params = &jsondoc.Value{}
	}
	classes, err := readClasses(params)
	if err != nil {
		return err
	}
	binary := false
	if v, ok := params.Find("binary_data"); ok {
		if binary, err = v.Bool(); err != nil {
			return unparsable("binary_data", err)
		}
	}
	if region, ok := params.Find("shared_memory_region"); ok {
		return refuseRegion(region, outputClash(classes, binary))
	}
	if err := f.c.account.Grow(entryCost); err != nil {
		return err
	}
	f.request.Outputs = append(f.request.Outputs, infer.RequestedOutput{Name: name, Classes: classes})
	f.wanted = append(f.wanted, wantedOutput{name: name, binary: binary})
	return nil
}

func readClasses(params *jsondoc.Value) (uint32, error) {
	v, ok := params.Find("classification")
	if !ok {
		return 0, nil
	}
	n, err := v.Uint()
	if err != nil {
		return 0, infer.Errorf(infer.Internal, "Unable to set 'classification': %v", err)
	}
	return uint32(min(n, 1<<32-1)), nil
}

// outputClash names the setting that shared memory does not go with.
func outputClash(classes uint32, binary bool) string {
	switch {
	case classes != 0:
		return "classification"
	case binary:
		return "binary_data"
	}
	return ""
}

// refuseRegion refuses a tensor in shared memory: no region was ever registered
// (docs/triton/http.md, "Shared memory").
func refuseRegion(region *jsondoc.Value, clash string) error {
	name, err := region.Text()
	if err != nil {
		return unparsable("shared_memory_region", err)
	}
	if clash != "" {
		return infer.Errorf(infer.InvalidArg, "Output can't set both 'shared_memory_region' and '%s'", clash)
	}
	return infer.Errorf(infer.NotFound, "Unable to find shared memory region: '%s'", name)
}
