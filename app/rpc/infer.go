package rpc

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"conch/app/answers"
	"conch/app/api"
	"conch/app/timetext"
	"conch/app/workspace"
	"conch/configedit/modelconfig"
	"conch/engine/kserve/kservepb"
)

// Infer sends a request. An error of the engine, or of the conversion, is part of the answer, not an
// error of the call.
func (s *tryService) Infer(ctx context.Context, r *connect.Request[api.InferRequest], stream *connect.ServerStream[api.InferResponse]) error {
	_, _, err := s.model(r.Msg.Model)
	if err != nil {
		return err
	}
	held, err := s.asks()
	if err != nil {
		return err
	}
	defer held.Release()
	key := held.Key
	begun := s.Now()
	request, err := inferRequest(r.Msg)
	if err != nil {
		out := &api.InferResponse{Error: err.Error(), ErrorCode: "INVALID_ARGUMENT"}
		out.HistoryId = s.remember(key, begun, r.Msg).end(out)
		return stream.Send(out)
	}
	a := &answering{s: s, held: held, owner: answers.Owner{Repository: key, Model: r.Msg.Model}, stream: stream, specs: s.heldSpecs(held, r.Msg.Model)}
	s.kept.Begin(a.owner)
	entry := s.remember(key, begun, r.Msg)
	running, end := s.runs.begin(ctx, r.Msg.Run)
	out := a.ask(running, request, traceOf(r.Msg))
	end()
	out.HistoryId = entry.end(out)
	if ctx.Err() == nil {
		s.noteRequest(key, r.Msg.Model, out)
	}
	return stream.Send(a.trim(out)) // the page may be gone, and reads it in the history when it comes back
}

// noteRequest keeps where a program failed, as a problem of its file.
func (s *tryService) noteRequest(key, model string, out *api.InferResponse) {
	if stay, err := s.Workspace.Stay(""); err == nil {
		if stay.Key() == key && !out.Stopped {
			stay.NoteRequest(model, out.Error)
		}
		stay.End()
	}
}

// StopInfer stops a running request.
func (s *tryService) StopInfer(_ context.Context, r *connect.Request[api.StopInferRequest]) (*connect.Response[api.StopInferResponse], error) {
	s.runs.stop(r.Msg.Run)
	return connect.NewResponse(&api.StopInferResponse{}), nil
}

// ReadTensor returns elements of an output that was not sent whole.
func (s *tryService) ReadTensor(_ context.Context, r *connect.Request[api.ReadTensorRequest]) (*connect.Response[api.ReadTensorResponse], error) {
	tensor, err := s.kept.Find(r.Msg.Source)
	if err != nil {
		return nil, err
	}
	part, err := tensor.Read(answers.Grid{
		Start: r.Msg.Start, Rows: r.Msg.Rows, RowStride: r.Msg.RowStride, Columns: r.Msg.Columns, ColumnStride: r.Msg.ColumnStride,
	})
	if err != nil {
		return nil, invalid(err)
	}
	return connect.NewResponse(&api.ReadTensorResponse{Raw: part.Raw, Sizes: part.Sizes}), nil
}

// mostInline is how many bytes of tensors one request sends to the window whole. A decoupled model may
// answer without end.
const mostInline = 16 << 20

// answering is a request whose answers go to the window.
type answering struct {
	s      *tryService
	held   *workspace.Held
	owner  answers.Owner
	stream *connect.ServerStream[api.InferResponse]
	specs  []*api.TensorSpec // of the outputs, in the order of the config
	inline int               // bytes that were sent whole
	begun  time.Time         // when Conch began to send the request
}

// ask sends the request to the engine. It returns what the last message to the window says.
func (a *answering) ask(ctx context.Context, request *kservepb.ModelInferRequest, trace string) *api.InferResponse {
	a.begun = time.Now() // before the engine is asked anything: it may be one that does not answer for a while
	decoupled := isDecoupled(ctx, a.held.Client, request)
	ctx = metadata.AppendToOutgoingContext(ctx, traceKey, trace)
	call := once
	if decoupled {
		call = a.often
	}
	out, trailer, err := call(ctx, a.held.Client, request)
	took := time.Since(a.begun)
	out.Ok, out.Decoupled = err == nil, decoupled
	switch {
	case err == nil:
	case errors.Is(context.Cause(ctx), errStopped):
		out.Stopped, out.Error = true, "Stopped after "+timetext.Of(took)
	case ctx.Err() != nil:
		out.Stopped, out.Error = true, "Stopped after "+timetext.Of(took)+", as its page was closed or loaded again, or Conch ended"
	default:
		failed(out, err)
		switch {
		case isLost(err):
			out.Unanswered, out.Error = true, a.held.LostAnswer(out.Answers)
		case isGivenUp(err):
			out.Unanswered, out.Error = true, a.held.GaveUp()
		}
	}
	addTrace(out, trailer, a.begun)
	out.Timings.RoundTripNs = uint64(took)
	arrange(out, a.specs)
	return out
}

// traceOf returns what the engine is asked to tell of a request.
func traceOf(r *api.InferRequest) string {
	switch {
	case r.Profile:
		return traceProfile
	case r.KeepTensors:
		return traceTensors
	}
	return traceTimes
}

// isDecoupled reports whether the model may answer any number of times. Where its config is not to be
// had, the request itself brings the reason.
func isDecoupled(ctx context.Context, client kservepb.GRPCInferenceServiceClient, request *kservepb.ModelInferRequest) bool {
	answer, err := client.ModelConfig(ctx, &kservepb.ModelConfigRequest{Name: request.ModelName, Version: request.ModelVersion})
	var cfg *modelconfig.ModelConfig
	if err == nil {
		cfg = answer.Config
	}
	return cfg.GetModelTransactionPolicy().GetDecoupled()
}

// callError is an error of a call to the engine.
type callError struct {
	error
	unanswered bool // it is not from the engine
}

// isLost reports whether the connection ended before the answer, or the last answer of a stream, came. The words are gRPC's.
func isLost(err error) bool {
	st := statusOf(err)
	return st.Code() == codes.Unavailable && strings.Contains(st.Message(), "error reading from server")
}

// isGivenUp reports whether the request was given up by something that ends, and not by a person. The words are those of Go, and of
// a connection that Conch itself has closed.
func isGivenUp(err error) bool {
	st := statusOf(err)
	return st.Code() == codes.Canceled && (strings.HasSuffix(st.Message(), context.Canceled.Error()) || strings.HasSuffix(st.Message(), "the client connection is closing"))
}

// statusOf returns what the engine or gRPC said; OK for another error.
func statusOf(err error) *status.Status {
	var call *callError
	if errors.As(err, &call) {
		return status.Convert(call.error)
	}
	return nil
}

// failed puts an error into an answer.
func failed(out *api.InferResponse, err error) {
	out.Error = err.Error()
	var call *callError
	if errors.As(err, &call) {
		st := status.Convert(call.error)
		out.Error, out.ErrorCode, out.Unanswered = st.Message(), codeName(st), call.unanswered
	}
}

// once calls a model that answers once.
func once(ctx context.Context, client kservepb.GRPCInferenceServiceClient, request *kservepb.ModelInferRequest) (*api.InferResponse, metadata.MD, error) {
	var header, trailer metadata.MD
	answer, err := client.ModelInfer(ctx, request, grpc.Header(&header), grpc.Trailer(&trailer))
	if err != nil {
		// Every answer of a server has a header or a trailer.
		return &api.InferResponse{}, trailer, &callError{err, len(header)+len(trailer) == 0}
	}
	return &api.InferResponse{ModelVersion: answer.ModelVersion, Outputs: outputTensors(answer)}, trailer, nil
}

// often calls a decoupled model and sends its answers to the window as they come.
func (a *answering) often(ctx context.Context, client kservepb.GRPCInferenceServiceClient, request *kservepb.ModelInferRequest) (*api.InferResponse, metadata.MD, error) {
	out := &api.InferResponse{}
	// The engine is told when this function returns early.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := client.ModelStreamInfer(ctx)
	if err != nil {
		return out, nil, &callError{err, true}
	}
	if err := errors.Join(ignoreEnd(stream.Send(request)), stream.CloseSend()); err != nil {
		return out, nil, &callError{err, true}
	}
	for {
		m, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return out, stream.Trailer(), nil
		}
		if err != nil {
			header, _ := stream.Header()
			return out, stream.Trailer(), &callError{err, len(header)+len(stream.Trailer()) == 0}
		}
		if m.ErrorMessage != "" {
			return out, stream.Trailer(), errors.New(m.ErrorMessage)
		}
		if err := a.pass(out, m.InferResponse); err != nil {
			return out, nil, err
		}
	}
}

// ignoreEnd ignores the error of a stream that the other side has ended: reading from it says why.
func ignoreEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// pass sends one of several answers to the window. The history keeps the last one.
func (a *answering) pass(out *api.InferResponse, answer *kservepb.ModelInferResponse) error {
	out.Answers++
	out.ModelVersion, out.Outputs = answer.ModelVersion, outputTensors(answer)
	part := &api.InferResponse{
		Ok: true, Partial: true, Decoupled: true, ModelVersion: out.ModelVersion, Outputs: out.Outputs,
		Timings: &api.Timings{RoundTripNs: uint64(time.Since(a.begun))},
	}
	arrange(part, a.specs)
	return a.stream.Send(a.trim(part))
}

// trim returns an answer as the window gets it: without outputs that it has already, and without the
// bytes of large ones.
func (a *answering) trim(out *api.InferResponse) *api.InferResponse {
	small := &api.InferResponse{
		Ok: out.Ok, Error: out.Error, ErrorCode: out.ErrorCode, ModelVersion: out.ModelVersion, Timings: out.Timings, Steps: out.Steps,
		HistoryId: out.HistoryId, Span: out.Span, TraceId: out.TraceId, Unanswered: out.Unanswered, Partial: out.Partial,
		Stopped: out.Stopped, Answers: out.Answers, Decoupled: out.Decoupled, Profiles: out.Profiles,
	}
	if out.Decoupled && !out.Partial {
		return small
	}
	for _, o := range out.Outputs {
		if len(o.Raw) <= answers.Inline && a.inline+len(o.Raw) <= mostInline {
			a.inline += len(o.Raw)
			small.Outputs = append(small.Outputs, o)
			continue
		}
		kept := a.s.kept.Keep(a.owner, o.Datatype, o.Raw)
		small.Outputs = append(small.Outputs, &api.OutputTensor{
			Name: o.Name, Datatype: o.Datatype, Shape: o.Shape, Labels: o.Labels, Source: kept.Source, Count: kept.Count,
		})
	}
	return small
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

// heldSpecs returns the outputs of the config of a model that is asked; nil when the model is gone.
func (s *Server) heldSpecs(held *workspace.Held, model string) []*api.TensorSpec {
	m, ok := held.Find(model)
	if !ok {
		return nil
	}
	return s.outputs(m, m.Effective())
}

// specs returns the outputs of a model's config; nil when the model is gone.
func (s *Server) specs(model string) []*api.TensorSpec {
	_, m, err := s.model(model)
	if err != nil {
		return nil
	}
	return s.outputs(m, m.Effective())
}

// arrange puts the outputs of an answer in the order of the config, and adds class labels.
func arrange(out *api.InferResponse, specs []*api.TensorSpec) {
	place := map[string]int{}
	for i, spec := range specs {
		place[spec.Name] = i - len(specs) // before the outputs that the config does not name
	}
	slices.SortStableFunc(out.Outputs, func(a, b *api.OutputTensor) int { return place[a.Name] - place[b.Name] })
	for _, t := range out.Outputs {
		if i, ok := place[t.Name]; ok {
			t.Labels = specs[i+len(specs)].Labels
		}
	}
}
