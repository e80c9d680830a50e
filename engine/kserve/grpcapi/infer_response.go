package grpcapi

import (
	"strconv"

	"conch/engine/infer"
	"conch/engine/kserve/kservepb"
)

// finalKey is the parameter of a streamed answer that tells whether it is the request's last
// (docs/triton/grpc.md, "Streams").
const finalKey = "triton_final_response"

// response builds the message of an answer. It borrows the tensors' bytes: outputs are always raw
// (docs/triton/grpc.md, "Tensors").
func (f *inference) response(r *infer.Response) *kservepb.ModelInferResponse {
	out := &kservepb.ModelInferResponse{
		ModelName:         r.Model,
		ModelVersion:      strconv.FormatInt(r.Version, 10),
		Id:                f.ID,
		Parameters:        parameters(r.Parameters),
		Outputs:           make([]*kservepb.ModelInferResponse_InferOutputTensor, len(r.Outputs)),
		RawOutputContents: make([][]byte, len(r.Outputs)),
	}
	tensors := make([]kservepb.ModelInferResponse_InferOutputTensor, len(r.Outputs))
	for i := range r.Outputs {
		t := &r.Outputs[i]
		tensors[i].Name, tensors[i].Datatype, tensors[i].Shape = t.Name, t.Type.String(), t.Shape
		out.Outputs[i] = &tensors[i]
		if !f.InRegion(t.Name) { // an output in shared memory has an empty entry
			out.RawOutputContents[i] = t.Data
		}
	}
	return out
}

func parameters(values map[string]any) map[string]*kservepb.InferParameter {
	if len(values) == 0 {
		return nil
	}
	out := make(map[string]*kservepb.InferParameter, len(values)+1)
	for name, value := range values {
		out[name] = parameter(value)
	}
	return out
}

func parameter(value any) *kservepb.InferParameter {
	p := &kservepb.InferParameter{}
	switch v := value.(type) {
	case bool:
		p.ParameterChoice = &kservepb.InferParameter_BoolParam{BoolParam: v}
	case int64:
		p.ParameterChoice = &kservepb.InferParameter_Int64Param{Int64Param: v}
	case uint64:
		p.ParameterChoice = &kservepb.InferParameter_Uint64Param{Uint64Param: v}
	case float64:
		p.ParameterChoice = &kservepb.InferParameter_DoubleParam{DoubleParam: v}
	case string:
		p.ParameterChoice = &kservepb.InferParameter_StringParam{StringParam: v}
	}
	return p
}
