package grpcapi

import (
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"

	"conch/engine/infer"
	"conch/engine/kserve/enginepb"
)

// A call with metadata "conch-trace: 1" is told in its trailer where the time went. Conch's own.
const (
	traceKey     = "conch-trace"
	traceTrailer = "conch-trace-bin"
)

func wantsTrace(stream grpc.ServerStream) bool { return incoming(stream, traceKey) == "1" }

// setTrace puts the timings of a response into the trailer.
func setTrace(stream grpc.ServerStream, r *infer.Response) {
	trace := &enginepb.RequestTrace{Timings: timings(&r.Timings)}
	if r.Trace != nil {
		for i := range r.Trace.Steps {
			step := &r.Trace.Steps[i]
			trace.Steps = append(trace.Steps, &enginepb.Step{
				Index: uint32(step.Index), Model: step.Model, Version: step.Version,
				StartNs: uint64(max(step.Start, 0)), Timings: timings(&step.Timings),
			})
		}
	}
	// Its messages hold numbers and a model's name; should that ever not encode, there is no trailer.
	if text, err := proto.Marshal(trace); err == nil {
		stream.SetTrailer(metadata.Pairs(traceTrailer, string(text)))
	}
}

func timings(t *infer.Timings) *enginepb.Timings {
	return &enginepb.Timings{
		QueueNs: uint64(max(t.Queue, 0)), InputNs: uint64(max(t.Input, 0)), InferNs: uint64(max(t.Infer, 0)),
		OutputNs: uint64(max(t.Output, 0)), TotalNs: uint64(max(t.Total, 0)),
	}
}
