package rpc

import (
	"context"
	"errors"
	"io"
	"strconv"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"

	"conch/app/api"
	"conch/engine/kserve/enginepb"
)

// Metadata by which a request asks for its trace, and the trailer that has it (engine.proto,
// RequestTrace).
const (
	traceKey     = "conch-trace"
	traceTimes   = "1"
	traceTensors = "tensors"
	traceProfile = "profile"
	traceTrailer = "conch-trace-bin"
)

// Metadata by which a request says that it is a trial, so that it is in no statistics, no metrics and no history.
const (
	trialKey = "conch-trial"
	trialYes = "1"
)

// addTrace adds the trace to an answer to a request that was sent at begun. If the engine sends none,
// the timings stay zero.
func addTrace(out *api.InferResponse, trailer metadata.MD, begun time.Time) {
	out.Timings = &api.Timings{}
	values := trailer.Get(traceTrailer)
	var trace enginepb.RequestTrace
	if len(values) == 0 || proto.Unmarshal([]byte(values[0]), &trace) != nil {
		return
	}
	out.Timings, out.Span, out.TraceId = timings(trace.Timings), span(trace.Span), trace.TraceId
	out.Steps = steps(trace.Steps)
	out.Profiles = profiles(trace.Profiles)
	if out.Span != nil {
		out.Span.ReceivedNs = uint64(max(trace.Span.ReceivedUnixNs-begun.UnixNano(), 0))
	}
}

func steps(list []*enginepb.Step) []*api.StepTiming {
	var out []*api.StepTiming
	for _, step := range list {
		out = append(out, &api.StepTiming{
			Model:        step.Model,
			ModelVersion: strconv.FormatInt(step.Version, 10),
			StartNs:      step.StartNs,
			Timings:      timings(step.Timings),
			Step:         step.Index,
			Span:         span(step.Span),
			Steps:        steps(step.Steps),
			Running:      step.Running,
		})
	}
	return out
}

func timings(t *enginepb.Timings) *api.Timings {
	return &api.Timings{
		QueueNs: t.GetQueueNs(), InputNs: t.GetInputNs(), InferNs: t.GetInferNs(), OutputNs: t.GetOutputNs(), TotalNs: t.GetTotalNs(),
	}
}

func span(s *enginepb.Span) *api.Span {
	if s == nil {
		return nil
	}
	out := &api.Span{
		QueuedNs: s.QueuedNs, EndedNs: s.EndedNs, ResponsesNs: s.ResponsesNs, Cached: s.Cache == enginepb.Span_CACHE_HIT,
		CacheNs: s.CacheNs, Error: s.Error,
	}
	for _, e := range s.Executions {
		out.Executions = append(out.Executions, &api.Execution{
			Instance: e.Instance, Requests: e.Requests, Items: e.Items, StartNs: e.StartNs,
			InputNs: e.InputNs, InferNs: e.InferNs, OutputNs: e.OutputNs,
		})
	}
	return out
}

// ListTracedTensors returns what the engine kept of a request.
func (s *tryService) ListTracedTensors(ctx context.Context, r *connect.Request[api.ListTracedTensorsRequest]) (*connect.Response[api.ListTracedTensorsResponse], error) {
	client, err := s.Workspace.Private("the tensors of a request and of its steps")
	if err != nil {
		return nil, err
	}
	stream, err := client.TracedTensors(ctx, &enginepb.TracedTensorsRequest{TraceId: r.Msg.TraceId, MaxBytes: r.Msg.MaxBytes})
	if err != nil {
		return nil, err
	}
	out := &api.ListTracedTensorsResponse{}
	for {
		t, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return connect.NewResponse(out), nil
		}
		if err != nil {
			return nil, err
		}
		out.Tensors = append(out.Tensors, &api.TracedTensor{
			Path: t.Path, Model: t.Model, Output: t.Output, Response: t.Response, ByteSize: t.ByteSize,
			Tensor: &api.OutputTensor{Name: t.Name, Datatype: t.Datatype, Shape: t.Shape, Raw: t.Data},
		})
	}
}
