package grpcapi

import (
	"cmp"
	"slices"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"

	"conch/engine/infer"
	"conch/engine/kserve/enginepb"
)

// On the private socket, a call with metadata "conch-trace: 1" gets its trace in the trailer. With
// "conch-trace: tensors" the tensors are kept too, with "conch-trace: profile" it has profiles. This is Conch's own.
const (
	traceKey     = "conch-trace"
	traceTrailer = "conch-trace-bin"
)

// trialKey is metadata of the private socket too: with "conch-trial: 1" a request is a trial, which nothing counts.
const trialKey = "conch-trial"

// isTrial reports whether a call is a trial. A client's never is: its port has no such metadata.
func (s *server) isTrial(stream grpc.ServerStream) bool {
	return s.opts.Kept != nil && incoming(stream, trialKey) == "1"
}

// ownTrace returns the trace that a call asks for; nil when it asks for none, or may not have one.
func (s *server) ownTrace(stream grpc.ServerStream) *infer.Trace {
	if s.opts.Kept == nil {
		return nil
	}
	switch incoming(stream, traceKey) {
	case "1":
		return &infer.Trace{}
	case "tensors":
		return &infer.Trace{Tensors: true}
	case "profile":
		return &infer.Trace{Profile: true}
	}
	return nil
}

// setTrace puts a finished trace into the trailer. A refused request has none.
func (s *server) setTrace(stream grpc.ServerStream, t *infer.Trace) {
	if t.Queued.IsZero() {
		return
	}
	trace := &enginepb.RequestTrace{
		Timings: timings(&t.Timings), Steps: steps(t, t.Received), Span: span(t, t.Received), Profiles: profiles(t),
	}
	trace.Span.ReceivedUnixNs = t.Received.UnixNano()
	if t.Tensors {
		trace.TraceId = s.opts.Kept.Keep(t)
	}
	// A trace holds numbers and names. If it cannot be encoded, there is no trailer.
	if text, err := proto.Marshal(trace); err == nil {
		stream.SetTrailer(metadata.Pairs(traceTrailer, string(text)))
	}
}

// steps returns the steps of a request in the order in which they started.
func steps(of *infer.Trace, zero time.Time) []*enginepb.Step {
	list := make([]*enginepb.Step, 0, len(of.Steps))
	for _, t := range of.Steps {
		if t.Queued.IsZero() {
			continue // its model refused it: of a step of an ensemble that is told below
		}
		list = append(list, &enginepb.Step{
			Index: uint32(t.Step), Model: t.Model, Version: t.Version, StartNs: since(zero, t.Received),
			Timings: timings(&t.Timings), Span: span(t, zero), Steps: steps(t, zero),
			Running: t.Running(),
		})
	}
	for _, r := range of.Refused {
		at := since(zero, r.Time)
		list = append(list, &enginepb.Step{
			Index: uint32(r.Step), Model: r.Model, Version: max(r.Version, 0), StartNs: at, Timings: &enginepb.Timings{},
			Span: &enginepb.Span{QueuedNs: at, EndedNs: at, Error: shortened(r.Err.Error())},
		})
	}
	slices.SortStableFunc(list, func(a, b *enginepb.Step) int { return cmp.Compare(a.StartNs, b.StartNs) })
	return list
}

func span(t *infer.Trace, zero time.Time) *enginepb.Span {
	s := &enginepb.Span{
		QueuedNs: since(zero, t.Queued), EndedNs: since(zero, t.Ended),
		Cache: enginepb.Span_Cache(t.Cache), CacheNs: uint64(max(t.CacheTook, 0)),
	}
	if t.Err != nil {
		s.Error = shortened(t.Err.Error())
	}
	for _, e := range t.Executions {
		s.Executions = append(s.Executions, &enginepb.Execution{
			Instance: e.Instance, Number: e.Number, Requests: e.Requests, Items: e.Items, StartNs: since(zero, e.Start),
			InputNs: uint64(max(e.Timings.Input, 0)), InferNs: uint64(max(e.Timings.Infer, 0)), OutputNs: uint64(max(e.Timings.Output, 0)),
		})
	}
	for _, a := range t.Responses {
		s.ResponsesNs = append(s.ResponsesNs, since(zero, a.Time))
	}
	return s
}

// since returns the time from zero to at; 0 when at never came.
func since(zero, at time.Time) uint64 { return uint64(max(at.Sub(zero), 0)) }

func timings(t *infer.Timings) *enginepb.Timings {
	return &enginepb.Timings{
		QueueNs: uint64(max(t.Queue, 0)), InputNs: uint64(max(t.Input, 0)), InferNs: uint64(max(t.Infer, 0)),
		OutputNs: uint64(max(t.Output, 0)), TotalNs: uint64(max(t.Total, 0)),
	}
}

// profiles returns the profiles of a request and of its steps.
func profiles(t *infer.Trace) []*enginepb.Profile {
	var list []*enginepb.Profile
	for _, p := range t.Profiles {
		m := &enginepb.Profile{Model: t.Model, Version: t.Version, Instance: p.Instance, Sampled: p.Sampled}
		for _, f := range p.Functions {
			m.Functions = append(m.Functions, &enginepb.ProfileFunction{Name: f.Name, File: f.File, Line: int32(f.Line)})
		}
		for _, n := range p.Nodes {
			m.Nodes = append(m.Nodes, &enginepb.ProfileNode{
				Function: uint32(n.Function), Parent: int32(n.Parent), TotalNs: uint64(max(n.Total, 0)), Calls: uint64(n.Calls),
			})
		}
		list = append(list, m)
	}
	for _, step := range t.Steps {
		list = append(list, profiles(step)...)
	}
	return list
}
