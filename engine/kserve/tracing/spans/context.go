package spans

import (
	"context"
	"crypto/rand"
	"strings"

	"go.opentelemetry.io/otel/trace"

	"conch/engine/infer"
)

func cut(pair string) (key, value string, ok bool) { return strings.Cut(pair, "=") }

// Headers are the headers of a request.
type Headers interface {
	Get(name string) string
}

// carrier has the headers of a request as OpenTelemetry reads them.
type carrier struct{ Headers }

// Set implements propagation.TextMapCarrier: nothing is written to a request.
func (carrier) Set(string, string) {}

// Keys implements propagation.TextMapCarrier.
func (carrier) Keys() []string { return nil }

// Parent is the span of a client that a request belongs to. The zero value is none.
type Parent struct{ context trace.SpanContext }

// Valid reports whether there is one.
func (p Parent) Valid() bool { return p.context.IsValid() }

// Parent reads the headers traceparent and tracestate of a request.
func (s *Sender) Parent(h Headers) Parent {
	if s == nil || h == nil {
		return Parent{}
	}
	return Parent{trace.SpanContextFromContext(s.carriers.Extract(context.Background(), carrier{h}))}
}

// Span returns the place of a request in its trace, before it runs.
func (p Parent) Span() infer.Span {
	var span infer.Span
	if p.Valid() {
		span.Trace, span.State = p.context.TraceID(), p.context.TraceState().String()
	} else {
		fill(span.Trace[:])
	}
	fill(span.ID[:])
	return span
}

// fill writes random bytes, which never fails.
func fill(b []byte) { _, _ = rand.Read(b) }

// identifiers gives spans the numbers that were chosen before.
type identifiers struct{}

type chosen struct{}

func choose(ctx context.Context, s infer.Span) context.Context {
	return context.WithValue(ctx, chosen{}, s)
}

// NewIDs implements sdk.IDGenerator, for a span without a parent.
func (identifiers) NewIDs(ctx context.Context) (id trace.TraceID, span trace.SpanID) {
	if s, ok := ctx.Value(chosen{}).(infer.Span); ok {
		return s.Trace, s.ID
	}
	fill(id[:])
	fill(span[:])
	return id, span
}

// NewSpanID implements sdk.IDGenerator, for a span with a parent.
func (identifiers) NewSpanID(ctx context.Context, _ trace.TraceID) (span trace.SpanID) {
	if s, ok := ctx.Value(chosen{}).(infer.Span); ok {
		return s.ID
	}
	fill(span[:])
	return span
}
