package grpcapi

import (
	"strings"

	"conch/engine/infer"
	"conch/engine/kserve"
	"conch/engine/kserve/kservepb"
)

// emptyFinalKey is the one parameter with Triton's prefix that a client may send.
const emptyFinalKey = "triton_enable_empty_final_response"

// finalKey is the parameter of every streamed answer that says whether it is the request's last
// (docs/triton/grpc.md, "Streams").
const finalKey = "triton_final_response"

func wrongType(name, expected string) error {
	return infer.Errorf(infer.InvalidArg, "invalid value type for '%s' parameter, expected %s.", name, expected)
}

func (f *inference) readParameters(params map[string]*kservepb.InferParameter) error {
	for _, name := range kserve.SortedKeys(params) {
		if err := f.readParameter(name, params[name]); err != nil {
			return err
		}
	}
	return nil
}

func (f *inference) readParameter(name string, p *kservepb.InferParameter) error {
	switch name {
	case "sequence_id":
		return f.readSequenceID(p)
	case "sequence_start":
		return readBool(&f.Sequence.Start, name, p)
	case "sequence_end":
		return readBool(&f.Sequence.End, name, p)
	case "priority":
		return f.readPriority(p)
	case "timeout":
		return f.readTimeout(p)
	case emptyFinalKey:
		return readBool(&f.emptyFinal, name, p)
	}
	return f.readCustom(name, p)
}

func (f *inference) readSequenceID(p *kservepb.InferParameter) error {
	switch v := p.GetParameterChoice().(type) {
	case *kservepb.InferParameter_Int64Param:
		f.Sequence.ID = uint64(v.Int64Param)
	case *kservepb.InferParameter_StringParam:
		f.Sequence.Name = v.StringParam
	default:
		return wrongType("sequence_id", "int64_param or string_param")
	}
	return nil
}

func readBool(to *bool, name string, p *kservepb.InferParameter) error {
	v, ok := p.GetParameterChoice().(*kservepb.InferParameter_BoolParam)
	if !ok {
		return wrongType(name, "bool_param")
	}
	*to = v.BoolParam
	return nil
}

func (f *inference) readPriority(p *kservepb.InferParameter) error {
	switch v := p.GetParameterChoice().(type) {
	case *kservepb.InferParameter_Uint64Param:
		f.Priority = v.Uint64Param
	case *kservepb.InferParameter_Int64Param:
		if v.Int64Param < 0 {
			return infer.Errorf(infer.InvalidArg, "invalid value for 'priority', expected value >= 0.")
		}
		f.Priority = uint64(v.Int64Param)
	default:
		return wrongType("priority", "int64_param or uint64_param")
	}
	return nil
}

func (f *inference) readTimeout(p *kservepb.InferParameter) error {
	v, ok := p.GetParameterChoice().(*kservepb.InferParameter_Int64Param)
	if !ok {
		return wrongType("timeout", "int64_param")
	}
	f.Timeout = kserve.Microseconds(uint64(max(v.Int64Param, 0)))
	return nil
}

// readCustom passes a parameter of the model's own on.
func (f *inference) readCustom(name string, p *kservepb.InferParameter) error {
	if strings.HasPrefix(name, "triton_") {
		return infer.Errorf(infer.InvalidArg, "parameter keys starting with 'triton_' are reserved for Triton usage. "+
			"Only the following keys starting with 'triton_' are allowed: "+emptyFinalKey)
	}
	if f.Parameters == nil {
		f.Parameters = map[string]any{}
	}
	switch v := p.GetParameterChoice().(type) {
	case *kservepb.InferParameter_BoolParam:
		f.Parameters[name] = v.BoolParam
	case *kservepb.InferParameter_Int64Param:
		f.Parameters[name] = v.Int64Param
	case *kservepb.InferParameter_StringParam:
		f.Parameters[name] = v.StringParam
	case *kservepb.InferParameter_DoubleParam:
		f.Parameters[name] = v.DoubleParam
	default:
		return wrongType(name, "int64_param, bool_param, or string_param")
	}
	return nil
}
