package spans

import (
	"context"
	"slices"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"conch/engine/infer"
)

// Mark is a named moment in the transport.
type Mark struct {
	Name string
	At   time.Time
}

// Send queues the spans of a request that has ended: one for all of it, in it one of its model, and in that one for each
// execution and for each step of an ensemble or call of another model.
func (s *Sender) Send(p Parent, t *infer.Trace, marks []Mark) {
	begin, end := t.Received, time.Now()
	for _, m := range marks {
		if begin.IsZero() || m.At.Before(begin) {
			begin = m.At
		}
	}
	if begin.IsZero() {
		begin = end
	}
	ctx := trace.ContextWithRemoteSpanContext(context.Background(), p.context)
	if !p.Valid() {
		root := t.Span
		fill(root.ID[:])
		ctx = choose(ctx, root)
	}
	ctx, root := s.tracer.Start(ctx, "InferRequest", trace.WithTimestamp(begin), trace.WithSpanKind(trace.SpanKindServer))
	for _, m := range inOrder(marks, t) {
		root.AddEvent(m.Name, trace.WithTimestamp(m.At))
	}
	s.request(ctx, t)
	if t.Err != nil {
		root.SetStatus(codes.Error, t.Err.Error())
	}
	root.End(trace.WithTimestamp(end))
}

// inOrder adds the answers to the moments of the transport. Triton tells of them there, and not with the model. An error is
// an answer too.
func inOrder(marks []Mark, t *infer.Trace) []Mark {
	all := slices.Clone(marks)
	for _, a := range t.Responses {
		all = append(all, Mark{responseComplete, a.Time})
	}
	if t.Err != nil && len(t.Responses) == 0 {
		all = append(all, Mark{responseComplete, t.Ended})
	}
	slices.SortStableFunc(all, func(a, b Mark) int { return a.At.Compare(b.At) })
	return all
}

const responseComplete = "INFER_RESPONSE_COMPLETE"

// request queues the spans of a request to one model. A step that its model refused has none.
func (s *Sender) request(ctx context.Context, t *infer.Trace) {
	if t.Queued.IsZero() {
		return
	}
	attributes := []attribute.KeyValue{attribute.String("triton.model_name", t.Model), attribute.Int64("triton.model_version", t.Version)}
	if t.RequestID != "" {
		attributes = append(attributes, attribute.String("triton.request_id", t.RequestID))
	}
	ctx, span := s.tracer.Start(choose(ctx, t.Span), t.Model, trace.WithTimestamp(t.Received), trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(attributes...))
	ctx = context.WithValue(ctx, chosen{}, nil)
	span.AddEvent("REQUEST_START", trace.WithTimestamp(t.Received))
	span.AddEvent("QUEUE_START", trace.WithTimestamp(t.Queued))
	for _, e := range t.Executions {
		s.execution(ctx, e)
	}
	for _, step := range t.Steps {
		if !step.Running() { // a span has an end
			s.request(ctx, step)
		}
	}
	if t.Err != nil {
		span.SetStatus(codes.Error, t.Err.Error())
	}
	span.AddEvent("REQUEST_END", trace.WithTimestamp(t.Ended))
	span.End(trace.WithTimestamp(t.Ended))
}

func (s *Sender) execution(ctx context.Context, e infer.Execution) {
	at := e.Start
	_, span := s.tracer.Start(ctx, "compute", trace.WithTimestamp(at), trace.WithSpanKind(trace.SpanKindServer))
	event := func(name string, after time.Duration) {
		at = at.Add(after)
		span.AddEvent(name, trace.WithTimestamp(at))
	}
	event("COMPUTE_START", 0)
	event("COMPUTE_INPUT_END", e.Timings.Input)
	event("COMPUTE_OUTPUT_START", e.Timings.Infer)
	event("COMPUTE_END", e.Timings.Output)
	span.End(trace.WithTimestamp(at))
}
