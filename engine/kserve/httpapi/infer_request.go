package httpapi

import (
	"errors"
	"math"

	"conch/engine/infer"
	"conch/engine/kserve/httpapi/jsondoc"
	"conch/engine/kserve/request"
	"conch/engine/tensor"
)

// usual is how many inputs and outputs most requests have at most. Room for more is made as they come.
const usual = 8

// readJSON reads a request's JSON, in Triton's order (docs/triton/http.md, "Infer request").
func (f *inference) readJSON(text []byte) error {
	doc := f.h.known.Find(text)
	if doc == nil {
		var err error
		if doc, err = parsed(f.h.known.ParseWithin(text, f.c.account.Grow)); err != nil {
			return err
		}
	}
	var err error
	if id, ok := doc.Find("id"); ok {
		if f.ID, err = id.Text(); err != nil {
			return request.Unparsable("id", err)
		}
	}
	if err := f.readParameters(doc); err != nil {
		return err
	}
	inputs, err := doc.GetArray("inputs")
	if err != nil {
		return request.Unparsable("inputs", err)
	}
	f.Inputs = make([]tensor.Tensor, 0, min(inputs.Len(), usual))
	for i := range inputs.Len() {
		if err := request.Awaited(f.c.r.Context(), i); err != nil {
			return err
		}
		if err := f.readInput(inputs.At(i)); err != nil {
			return err
		}
	}
	if len(f.tail) > 0 {
		return infer.Errorf(infer.InvalidArg, "unexpected additional input data for model '%s'", f.Model)
	}
	return f.readOutputs(doc)
}

// readParameters reads the parameters of the whole request.
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
		if err := f.Parameter(members[i].Name, (*parameter)(&members[i].Value)); err != nil {
			return err
		}
	}
	return nil
}

// parameter reads a JSON value as a request.Value.
type parameter jsondoc.Value

var _ request.Value = (*parameter)(nil)

func (p *parameter) value() *jsondoc.Value { return (*jsondoc.Value)(p) }

// Bool implements request.Value.
func (p *parameter) Bool() (bool, error) { return p.value().Bool() }

// SequenceID implements request.Value.
func (p *parameter) SequenceID() (uint64, string, error) {
	if n, err := p.value().Uint(); err == nil {
		return n, "", nil
	}
	text, err := p.value().Text()
	return 0, text, err
}

// Priority implements request.Value.
func (p *parameter) Priority() (uint64, error) { return p.value().Uint() }

// Timeout implements request.Value.
func (p *parameter) Timeout() (uint64, error) { return p.value().Uint() }

// Size implements request.Value.
func (p *parameter) Size() int { return p.value().Size() }

// Custom implements request.Value: a string, a bool, an int64, or a float64 for any other number.
func (p *parameter) Custom() (any, error) {
	v := p.value()
	if s, err := v.Text(); err == nil {
		return s, nil
	}
	if b, err := v.Bool(); err == nil {
		return b, nil
	}
	if n, err := v.Int(); err == nil {
		return n, nil
	}
	if v.Kind() != jsondoc.Number {
		return nil, errNoScalar
	}
	return v.Double()
}

var errNoScalar = errors.New("it is not a scalar")

// readInput reads one of "inputs".
func (f *inference) readInput(in *jsondoc.Value) error {
	source, err := inputSource(in)
	if err != nil {
		return err
	}
	name, err := in.GetString("name")
	if err != nil {
		return request.Unparsable("name", err)
	}
	datatype, err := in.GetString("datatype")
	if err != nil {
		return request.Unparsable("datatype", err)
	}
	shape, err := f.readShape(in)
	if err != nil {
		return request.Unparsable("shape", err)
	}
	t, err := f.NewInput(name, datatype, shape)
	if err != nil {
		return err
	}
	if t.Data, err = f.readSource(&t, source); err != nil {
		return err
	}
	return f.AddInput(t)
}

func (f *inference) readShape(in *jsondoc.Value) (tensor.Shape, error) {
	array, err := in.GetArray("shape")
	if err != nil {
		return nil, err
	}
	shape, err := f.NewShape(array.Len())
	if err != nil {
		return nil, err
	}
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
		return request.Unparsable("outputs", err)
	}
	f.Outputs, f.wanted = make([]infer.RequestedOutput, 0, min(outputs.Len(), usual)), make([]wantedOutput, 0, min(outputs.Len(), usual))
	for i := range outputs.Len() {
		if err := request.Awaited(f.c.r.Context(), i); err != nil {
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
		return request.Unparsable("name", err)
	}
	params, ok := out.Find("parameters")
	if !ok {
		params = &jsondoc.Value{}
	}
	if err := outputClash(params); err != nil {
		return err
	}
	classes, err := readClasses(params)
	if err != nil {
		return err
	}
	place, err := readPlace(params)
	if err != nil {
		return err
	}
	if place != nil {
		return f.AddRegionOutput(name, *place)
	}
	binary := false
	if v, ok := params.Find("binary_data"); ok {
		if binary, err = v.Bool(); err != nil {
			return request.Unparsable("binary_data", err)
		}
	}
	if err := f.AddOutput(name, classes); err != nil {
		return err
	}
	f.wanted = append(f.wanted, wantedOutput{name: name, binary: binary})
	return nil
}

func readClasses(params *jsondoc.Value) (uint64, error) {
	v, ok := params.Find("classification")
	if !ok {
		return 0, nil
	}
	n, err := v.Uint()
	if err != nil {
		return 0, infer.Errorf(infer.Internal, "Unable to set 'classification': %v", err)
	}
	return n, nil
}

// outputClash refuses settings that cannot be combined with shared memory.
func outputClash(params *jsondoc.Value) error {
	if _, ok := params.Find("shared_memory_region"); !ok {
		return nil
	}
	if _, ok := params.Find("classification"); ok {
		return request.HTTP.RegionClash("classification")
	}
	v, ok := params.Find("binary_data")
	if !ok {
		return nil
	}
	switch binary, err := v.Bool(); {
	case err != nil:
		return infer.Errorf(infer.Internal, "Unable to set 'binary_data': %v", err)
	case binary:
		return request.HTTP.RegionClash("binary_data")
	}
	return nil
}

// readPlace reads where a tensor lies in shared memory (docs/triton/http.md, "Shared memory"); nil where it does not. A place
// without a size is larger than any region.
func readPlace(params *jsondoc.Value) (*request.Place, error) {
	if params == nil {
		return nil, nil
	}
	var p request.Place
	region, inMemory := params.Find("shared_memory_region")
	if inMemory {
		var err error
		if p.Region, err = region.Text(); err != nil {
			return nil, request.Unparsable("shared_memory_region", err)
		}
	}
	for _, number := range [...]struct {
		name string
		to   *uint64
	}{{"shared_memory_offset", &p.Offset}, {"shared_memory_byte_size", &p.Size}} {
		v, ok := params.Find(number.name)
		if !ok {
			continue
		}
		var err error
		if *number.to, err = v.Uint(); err != nil { // also without a region, as in Triton
			return nil, request.Unparsable(number.name, err)
		}
	}
	if !inMemory {
		return nil, nil
	}
	if _, ok := params.Find("shared_memory_byte_size"); !ok {
		p.Size = math.MaxUint64 - p.Offset
	}
	return &p, nil
}

// source is the one place where an input's bytes come from.
type source struct {
	data   *jsondoc.Value // "data"
	size   *jsondoc.Value // "binary_data_size"
	region *jsondoc.Value // "shared_memory_region"
	params *jsondoc.Value
}

// inputSource returns the one source of an input's values. No source and several sources are
// refused (docs/triton/http.md, "Infer request").
func inputSource(in *jsondoc.Value) (source, error) {
	var s source
	s.data, _ = in.Find("data")
	if params, ok := in.Find("parameters"); ok {
		s.params = params
		s.size, _ = params.Find("binary_data_size")
		s.region, _ = params.Find("shared_memory_region")
	}
	count, set := 0, [3]string{}
	for i, v := range [...]*jsondoc.Value{s.data, s.size, s.region} {
		if v != nil {
			count++
			set[i] = [...]string{" 'data'", " 'binary_data_size'", " 'shared_memory_region'"}[i]
		}
	}
	const text = "Input must set only one of the following fields: 'data', 'binary_data_size' in 'parameters', " +
		"'shared_memory_region' in 'parameters'. But"
	switch {
	case count == 0:
		return s, infer.Errorf(infer.InvalidArg, text+" no field is set")
	case count > 1:
		return s, infer.Errorf(infer.InvalidArg, text+" set%s%s%s", set[0], set[1], set[2])
	}
	return s, nil
}

// readSource returns an input's bytes. The bytes of a binary tensor are not copied from the body.
func (f *inference) readSource(t *tensor.Tensor, s source) ([]byte, error) {
	var size uint64
	if s.size != nil {
		var err error
		if size, err = s.size.Uint(); err != nil {
			return nil, request.Unparsable("binary_data_size", err)
		}
	}
	place, err := readPlace(s.params)
	switch {
	case err != nil:
		return nil, err
	case place != nil:
		return f.ReadRegion(t.Name, t.Type, *place)
	case s.size != nil:
		return f.cutTail(t.Name, size)
	}
	return readData(t, s.data, &f.c.account)
}

// cutTail takes an input's bytes from the binary part of the body (docs/triton/http.md, "Binary
// data").
func (f *inference) cutTail(name string, n uint64) ([]byte, error) {
	if have := uint64(len(f.tail)); n > have {
		return nil, infer.Errorf(infer.InvalidArg, "unexpected size for input '%s', expecting %d additional bytes for model '%s'",
			name, n-have, f.Model)
	}
	data := f.tail[:n:n]
	f.tail = f.tail[n:]
	return data, nil
}
