package rpc

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"connectrpc.com/connect"

	"conch/app/api"
	"conch/app/language"
	"conch/app/remote"
	"conch/app/snippet"
	"conch/app/tensorjson"
	"conch/app/workspace"
	"conch/configedit/modelconfig"
	"conch/engine/kserve/kservepb"
)

type tryService struct{ *Server }

// asks returns the connection to what serves now: another server, or another repository, may be shown when the answer comes.
func (s *Server) asks() (*workspace.Held, error) {
	stay, err := s.Workspace.Stay("")
	if err != nil {
		return nil, err
	}
	defer stay.End()
	return stay.Hold()
}

// inferRequest converts what was typed to Triton's request.
func inferRequest(r *api.InferRequest) (*kservepb.ModelInferRequest, error) {
	out := &kservepb.ModelInferRequest{ModelName: r.Model, Id: r.Id, Parameters: parameters(r)}
	if r.Version > 0 {
		out.ModelVersion = strconv.FormatInt(r.Version, 10)
	}
	for _, in := range r.Inputs {
		raw, err := rawData(in)
		if err != nil {
			return nil, err
		}
		out.Inputs = append(out.Inputs, &kservepb.ModelInferRequest_InferInputTensor{Name: in.Name, Datatype: in.Datatype, Shape: in.Shape})
		out.RawInputContents = append(out.RawInputContents, raw)
	}
	for _, name := range r.Outputs {
		out.Outputs = append(out.Outputs, &kservepb.ModelInferRequest_InferRequestedOutputTensor{Name: name})
	}
	return out, nil
}

// parameters are those of a request; nil for none.
func parameters(r *api.InferRequest) map[string]*kservepb.InferParameter {
	if len(r.Parameters) == 0 {
		return nil
	}
	out := make(map[string]*kservepb.InferParameter, len(r.Parameters))
	for name, p := range r.Parameters {
		to := &kservepb.InferParameter{}
		switch v := p.GetValue().(type) {
		case *api.RequestParameter_Bool:
			to.ParameterChoice = &kservepb.InferParameter_BoolParam{BoolParam: v.Bool}
		case *api.RequestParameter_Int64:
			to.ParameterChoice = &kservepb.InferParameter_Int64Param{Int64Param: v.Int64}
		case *api.RequestParameter_Uint64:
			to.ParameterChoice = &kservepb.InferParameter_Uint64Param{Uint64Param: v.Uint64}
		case *api.RequestParameter_Double:
			to.ParameterChoice = &kservepb.InferParameter_DoubleParam{DoubleParam: v.Double}
		case *api.RequestParameter_String_:
			to.ParameterChoice = &kservepb.InferParameter_StringParam{StringParam: v.String_}
		}
		out[name] = to
	}
	return out
}

// literals are the parameters of a request, each as JSON.
func literals(r *api.InferRequest) (map[string]json.RawMessage, error) {
	out := make(map[string]json.RawMessage, len(r.Parameters))
	for name, p := range r.Parameters {
		m := p.ProtoReflect()
		value := m.WhichOneof(m.Descriptor().Oneofs().ByName("value"))
		if value == nil {
			continue
		}
		text, err := json.Marshal(m.Get(value).Interface())
		if err != nil {
			return nil, fmt.Errorf("parameter %q: %w", name, err)
		}
		out[name] = text
	}
	return out, nil
}

func rawData(in *api.InferInput) ([]byte, error) {
	text, isJSON := in.Data.(*api.InferInput_Json)
	if !isJSON {
		return in.GetRaw(), nil // the engine checks its size, with Triton's message
	}
	raw, err := tensorjson.Encode(tensorjson.Tensor{Datatype: in.Datatype, Shape: in.Shape, JSON: text.Json})
	if err != nil {
		return nil, fmt.Errorf("input %q: %w", in.Name, err)
	}
	return raw, nil
}

// Snippet writes the request as a command or program.
func (s *tryService) Snippet(ctx context.Context, r *connect.Request[api.SnippetRequest]) (*connect.Response[api.SnippetResponse], error) {
	if r.Msg.Request == nil || r.Msg.Request.Model == "" {
		return nil, invalid(fmt.Errorf("no request was given"))
	}
	engine := s.Workspace.Engine()
	request := snippet.Request{
		Model: r.Msg.Request.Model, Version: r.Msg.Request.Version, Outputs: r.Msg.Request.Outputs,
		HTTPAddress: engine.HttpAddress, GRPCAddress: engine.GrpcAddress, ID: r.Msg.Request.Id,
	}
	var err error
	if request.Parameters, err = literals(r.Msg.Request); err != nil {
		return nil, invalid(err)
	}
	if r := engine.GetRemote(); r != nil {
		request.HTTPAddress, request.GRPCAddress, request.Secure = remote.Ports(r.Address)
	}
	for _, in := range r.Msg.Request.Inputs {
		raw, err := rawData(in)
		if err != nil {
			return nil, invalid(err)
		}
		request.Inputs = append(request.Inputs, snippet.Input{Name: in.Name, Datatype: in.Datatype, Shape: in.Shape, Raw: raw})
	}
	if _, m, err := s.model(request.Model); err == nil {
		cfg, _ := s.config(ctx, m)
		request.Decoupled = decoupled(cfg)
	}
	text, err := snippet.Write(r.Msg.Language, request)
	if err != nil {
		return nil, invalid(err)
	}
	return connect.NewResponse(&api.SnippetResponse{Text: text}), nil
}

// decoupled is what a copied request must know of a decoupled model; nil for any other.
func decoupled(cfg *modelconfig.ModelConfig) *snippet.Decoupled {
	if !cfg.GetModelTransactionPolicy().GetDecoupled() {
		return nil
	}
	out := &snippet.Decoupled{NeedsSequence: modelconfig.NeedsSequence(cfg)}
	for _, in := range language.Inputs(cfg) {
		out.Inputs = append(out.Inputs, snippet.Input{Name: in.Name, Datatype: in.Datatype, Shape: in.Shape})
	}
	return out
}
