package rpc

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"conch/app/api"
	"conch/app/enginehost"
	"conch/app/snippet"
	"conch/app/tensorjson"
	"conch/engine/kserve/kservepb"
)

type tryService struct{ *Server }

// Infer sends a request. An error of the engine, or of the conversion, is part of the answer, not an
// error of the call.
func (s *tryService) Infer(ctx context.Context, r *connect.Request[api.InferRequest]) (*connect.Response[api.InferResponse], error) {
	_, _, err := s.model(r.Msg.Model)
	if err != nil {
		return nil, err
	}
	client, key, err := s.asks()
	if err != nil {
		return nil, err
	}
	begun := s.Now()
	request, err := inferRequest(r.Msg)
	if err != nil {
		out := &api.InferResponse{Error: err.Error(), ErrorCode: "INVALID_ARGUMENT"}
		out.HistoryId = s.remember(key, begun, r.Msg, out)
		return connect.NewResponse(out), nil
	}
	kept := traceTimes
	if r.Msg.KeepTensors {
		kept = traceTensors
	}
	out := s.send(ctx, client.KServe, request, kept)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	s.addLabels(ctx, r.Msg.Model, out)
	out.HistoryId = s.remember(key, begun, r.Msg, out)
	return connect.NewResponse(out), nil
}

// asks returns the engine, and the repository that it serves: another one may be open when the answer
// comes.
func (s *tryService) asks() (client *enginehost.Client, key string, err error) {
	stay, err := s.Workspace.Stay("")
	if err != nil {
		return nil, "", err
	}
	defer stay.End()
	client, err = stay.Client()
	return client, stay.Key(), err
}

// inferRequest converts what was typed to Triton's request.
func inferRequest(r *api.InferRequest) (*kservepb.ModelInferRequest, error) {
	out := &kservepb.ModelInferRequest{ModelName: r.Model}
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

// send calls the engine and converts its answer. kept is what the engine keeps of the trace.
func (s *tryService) send(ctx context.Context, client kservepb.GRPCInferenceServiceClient, request *kservepb.ModelInferRequest, kept string) *api.InferResponse {
	ctx = metadata.AppendToOutgoingContext(ctx, traceKey, kept)
	var header, trailer metadata.MD
	begun := time.Now()
	answer, err := client.ModelInfer(ctx, request, grpc.Header(&header), grpc.Trailer(&trailer))
	took := time.Since(begun)
	out := &api.InferResponse{}
	if err != nil {
		st := status.Convert(err)
		out.Error, out.ErrorCode = st.Message(), codeName(st)
		out.Unanswered = len(header)+len(trailer) == 0 // every answer of a server has a header or a trailer
	} else {
		out.Ok, out.ModelVersion, out.Outputs = true, answer.ModelVersion, outputTensors(answer)
	}
	addTrace(out, trailer, begun)
	out.Timings.RoundTripNs = uint64(took)
	return out
}

// codeName returns the name of a gRPC code as gRPC's documents write it: INVALID_ARGUMENT.
func codeName(st *status.Status) string {
	return strings.ToUpper(connect.Code(st.Code()).String())
}

func outputTensors(answer *kservepb.ModelInferResponse) []*api.OutputTensor {
	var list []*api.OutputTensor
	for i, o := range answer.Outputs {
		t := &api.OutputTensor{Name: o.Name, Datatype: o.Datatype, Shape: o.Shape}
		if i < len(answer.RawOutputContents) {
			t.Raw = answer.RawOutputContents[i]
		}
		list = append(list, t)
	}
	return list
}

// addLabels adds to outputs the class labels of the config.
func (s *tryService) addLabels(ctx context.Context, model string, out *api.InferResponse) {
	_, m, err := s.model(model)
	if err != nil {
		return
	}
	for _, spec := range s.outputs(m, m.Effective()) {
		for _, t := range out.Outputs {
			if t.Name == spec.Name {
				t.Labels = spec.Labels
			}
		}
	}
}

// Snippet writes the request as a command or program.
func (s *tryService) Snippet(_ context.Context, r *connect.Request[api.SnippetRequest]) (*connect.Response[api.SnippetResponse], error) {
	if r.Msg.Request == nil || r.Msg.Request.Model == "" {
		return nil, invalid(fmt.Errorf("no request was given"))
	}
	engine := s.Workspace.Engine()
	request := snippet.Request{
		Model: r.Msg.Request.Model, Version: r.Msg.Request.Version, Outputs: r.Msg.Request.Outputs,
		HTTPAddress: engine.HttpAddress, GRPCAddress: engine.GrpcAddress,
	}
	for _, in := range r.Msg.Request.Inputs {
		raw, err := rawData(in)
		if err != nil {
			return nil, invalid(err)
		}
		request.Inputs = append(request.Inputs, snippet.Input{Name: in.Name, Datatype: in.Datatype, Shape: in.Shape, Raw: raw})
	}
	text, err := snippet.Write(r.Msg.Language, request)
	if err != nil {
		return nil, invalid(err)
	}
	return connect.NewResponse(&api.SnippetResponse{Text: text}), nil
}
