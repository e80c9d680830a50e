package grpcapi

import (
	"context"
	"slices"

	"google.golang.org/grpc/metadata"

	"conch/engine/infer"
	"conch/engine/kserve"
	"conch/engine/kserve/kservepb"
	"conch/engine/kserve/request"
	"conch/engine/tensor"
)

// read fills in the request from its message, unless ctx ends before. It applies the flags of the endpoint.
func (f *inference) read(ctx context.Context) error {
	params := f.message.GetParameters()
	for _, name := range kserve.SortedKeys(params) {
		if err := f.Parameter(name, (*parameterValue)(params[name])); err != nil {
			return err
		}
	}
	if err := f.readInputs(ctx); err != nil {
		return err
	}
	for i, out := range f.message.GetOutputs() {
		if err := request.Awaited(ctx, i); err != nil {
			return err
		}
		if err := f.readOutput(out); err != nil {
			return err
		}
	}
	if f.s.opts.ForwardHeaders != nil {
		headers, _ := metadata.FromIncomingContext(ctx)
		return f.Forward(f.s.opts.ForwardHeaders, headers)
	}
	return nil
}

// readInputs reads the names of all inputs before it looks at the data of one, as Triton does.
func (f *inference) readInputs(ctx context.Context) error {
	inputs := f.message.GetInputs()
	f.Inputs = make([]tensor.Tensor, 0, len(inputs))
	for i, in := range inputs {
		if err := request.Awaited(ctx, i); err != nil {
			return err
		}
		t, err := f.NewInput(in.GetName(), in.GetDatatype(), slices.Clone(in.GetShape())) // other requests may have the message's own
		if err != nil {
			return err
		}
		f.Inputs = append(f.Inputs, t)
	}
	raw := rawInputs{contents: f.message.GetRawInputContents()}
	for i, in := range inputs {
		if err := request.Awaited(ctx, i); err != nil {
			return err
		}
		if err := f.readData(&f.Inputs[i], in, &raw); err != nil {
			return err
		}
	}
	return nil
}

func (f *inference) readData(t *tensor.Tensor, in *kservepb.ModelInferRequest_InferInputTensor, raw *rawInputs) error {
	place, err := readPlace(in.GetName(), in.GetParameters())
	if err != nil {
		return err
	}
	if place == nil {
		t.Data, err = f.inputData(in, t.Type, raw)
	} else {
		t.Data, err = f.regionData(in, t.Type, *place)
	}
	if err != nil {
		return err
	}
	return f.CountStrings(t)
}

func (f *inference) readOutput(out *kservepb.ModelInferRequest_InferRequestedOutputTensor) error {
	place, err := readPlace(out.GetName(), out.GetParameters())
	if err != nil {
		return err
	}
	classes := uint64(0)
	if p, ok := out.GetParameters()["classification"]; ok {
		n, ok := p.GetParameterChoice().(*kservepb.InferParameter_Int64Param)
		if !ok {
			return infer.Errorf(infer.InvalidArg, "invalid value type for 'classification' parameter, expected int64_param")
		}
		if n.Int64Param <= 0 {
			return infer.Errorf(infer.InvalidArg, "invalid value for 'classification' parameter, expected >= 0")
		}
		classes = uint64(n.Int64Param)
	}
	if place != nil {
		if classes > 0 {
			return request.GRPC.RegionClash("classification")
		}
		return f.AddRegionOutput(out.GetName(), *place)
	}
	return f.AddOutput(out.GetName(), classes)
}

// parameterValue reads a message's parameter as a request.Value.
type parameterValue kservepb.InferParameter

var _ request.Value = (*parameterValue)(nil)

// expected is the kind of value that a parameter should have.
type expected string

func (e expected) Error() string { return string(e) }

// Bool implements request.Value.
func (p *parameterValue) Bool() (bool, error) {
	if v, ok := (*kservepb.InferParameter)(p).GetParameterChoice().(*kservepb.InferParameter_BoolParam); ok {
		return v.BoolParam, nil
	}
	return false, expected("bool_param")
}

// SequenceID implements request.Value.
func (p *parameterValue) SequenceID() (uint64, string, error) {
	switch v := (*kservepb.InferParameter)(p).GetParameterChoice().(type) {
	case *kservepb.InferParameter_Int64Param:
		return uint64(v.Int64Param), "", nil
	case *kservepb.InferParameter_StringParam:
		return 0, v.StringParam, nil
	}
	return 0, "", expected("int64_param or string_param")
}

// Priority implements request.Value.
func (p *parameterValue) Priority() (uint64, error) {
	switch v := (*kservepb.InferParameter)(p).GetParameterChoice().(type) {
	case *kservepb.InferParameter_Uint64Param:
		return v.Uint64Param, nil
	case *kservepb.InferParameter_Int64Param:
		if v.Int64Param < 0 {
			return 0, infer.Errorf(infer.InvalidArg, "invalid value for 'priority', expected value >= 0.")
		}
		return uint64(v.Int64Param), nil
	}
	return 0, expected("int64_param or uint64_param")
}

// Timeout implements request.Value.
func (p *parameterValue) Timeout() (uint64, error) {
	if v, ok := (*kservepb.InferParameter)(p).GetParameterChoice().(*kservepb.InferParameter_Int64Param); ok {
		return uint64(max(v.Int64Param, 0)), nil
	}
	return 0, expected("int64_param")
}

// Custom implements request.Value.
func (p *parameterValue) Custom() (any, error) {
	switch v := (*kservepb.InferParameter)(p).GetParameterChoice().(type) {
	case *kservepb.InferParameter_BoolParam:
		return v.BoolParam, nil
	case *kservepb.InferParameter_Int64Param:
		return v.Int64Param, nil
	case *kservepb.InferParameter_StringParam:
		return v.StringParam, nil
	case *kservepb.InferParameter_DoubleParam:
		return v.DoubleParam, nil
	}
	return nil, expected("int64_param, bool_param, or string_param")
}

// Size implements request.Value. The memory of a message is counted before it is read.
func (p *parameterValue) Size() int { return 0 }
