package grpcapi

import (
	"context"
	"time"

	"conch/engine/infer"
	"conch/engine/kserve"
	"conch/engine/kserve/kservepb"
	"conch/engine/tensor"
)

// inference is a request as it was read.
type inference struct {
	infer.Request
	target     infer.Target // entered until left
	left       bool
	decoupled  bool
	emptyFinal bool // the client wants an empty response at the end (docs/triton/grpc.md, "Streams")
}

// leave lets the version go that reads, runs and answers the request. Only the first call counts.
func (f *inference) leave() {
	if !f.left {
		f.left = true
		f.target.Leave()
	}
}

// readModel enters the model, the first thing that Triton looks at. Who gets the request leaves it.
func (s *server) readModel(req *kservepb.ModelInferRequest) (*inference, error) {
	version, err := kserve.ParseVersion(req.GetModelVersion())
	if err != nil {
		return nil, err
	}
	target, err := s.svc.Enter(req.GetModelName(), version)
	if err != nil {
		return nil, err
	}
	f := &inference{target: target, decoupled: target.Config.GetModelTransactionPolicy().GetDecoupled()}
	f.Request = infer.Request{Model: req.GetModelName(), Version: version, ID: req.GetId(), Received: time.Now(), Counted: s.opts.Memory != nil}
	return f, nil
}

// someInputs are read of a long list before it is asked again whether anybody waits for the answer.
const someInputs = 1024

// read fills in the rest of the request, unless ctx ends before.
func (f *inference) read(ctx context.Context, req *kservepb.ModelInferRequest) error {
	if err := f.readParameters(req.GetParameters()); err != nil {
		return err
	}
	raw := rawInputs{contents: req.GetRawInputContents()}
	f.Inputs = make([]tensor.Tensor, 0, len(req.GetInputs()))
	for i, in := range req.GetInputs() {
		if i%someInputs == someInputs-1 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := f.readInput(in, &raw); err != nil {
			return err
		}
	}
	for _, out := range req.GetOutputs() {
		if err := f.readOutput(out); err != nil {
			return err
		}
	}
	return nil
}

func (f *inference) readInput(in *kservepb.ModelInferRequest_InferInputTensor, raw *rawInputs) error {
	if f.HasInput(in.GetName()) {
		return infer.Errorf(infer.InvalidArg, "%sinput '%s' already exists in request", kserve.RequestPrefix(f.ID), in.GetName())
	}
	if err := refuseRegion(in.GetName(), in.GetParameters()); err != nil {
		return err
	}
	t := tensor.Tensor{Name: in.GetName(), Shape: in.GetShape()}
	t.Type, _ = tensor.ParseDataType(in.GetDatatype())
	var err error
	if t.Data, err = f.inputData(in, t.Type, raw); err != nil {
		return err
	}
	f.Inputs = append(f.Inputs, t)
	return nil
}

// refuseRegion refuses a tensor in shared memory: no region was ever registered
// (docs/triton/http.md, "Shared memory").
func refuseRegion(tensor string, params map[string]*kservepb.InferParameter) error {
	p, ok := params["shared_memory_region"]
	if !ok {
		return nil
	}
	name, ok := p.GetParameterChoice().(*kservepb.InferParameter_StringParam)
	if !ok {
		return infer.Errorf(infer.InvalidArg,
			"invalid value type for 'shared_memory_region' parameter for tensor '%s', expected string_param.", tensor)
	}
	if _, ok := params["shared_memory_byte_size"]; !ok {
		return infer.Errorf(infer.InvalidArg,
			"'shared_memory_byte_size' must be specified along with 'shared_memory_region' parameter for tensor '%s'", tensor)
	}
	return infer.Errorf(infer.NotFound, "Unable to find shared memory region: '%s'", name.StringParam)
}

func (f *inference) readOutput(out *kservepb.ModelInferRequest_InferRequestedOutputTensor) error {
	if err := refuseRegion(out.GetName(), out.GetParameters()); err != nil {
		return err
	}
	wanted := infer.RequestedOutput{Name: out.GetName()}
	if p, ok := out.GetParameters()["classification"]; ok {
		n, ok := p.GetParameterChoice().(*kservepb.InferParameter_Int64Param)
		if !ok {
			return infer.Errorf(infer.InvalidArg, "invalid value type for 'classification' parameter, expected int64_param")
		}
		if n.Int64Param <= 0 {
			return infer.Errorf(infer.InvalidArg, "invalid value for 'classification' parameter, expected >= 0")
		}
		wanted.Classes = uint32(min(n.Int64Param, 1<<32-1))
	}
	f.Outputs = append(f.Outputs, wanted)
	return nil
}
