package spans

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Options are the settings of --trace-config opentelemetry,… (docs/triton/tracing.md, "OpenTelemetry").
type Options struct {
	URL      string
	Resource []string // each "key=value"; a later one of the same key counts
	Queue    int      // spans that wait to be sent; more are dropped
	Delay    time.Duration
	Batch    int // spans of one message
}

// Defaults are the settings without flags.
var Defaults = Options{URL: "http://localhost:4318/v1/traces", Queue: 2048, Delay: 5 * time.Second, Batch: 512}

// patience is how long the collector may take for a message, and flushing how long the last spans may take.
const (
	patience = 10 * time.Second
	flushing = 2 * time.Second
)

// Sender sends traces.
type Sender struct {
	options  Options
	provider *sdk.TracerProvider
	tracer   trace.Tracer
	carriers propagation.TextMapPropagator
	losses   *losses
}

// New returns a Sender. It sends nothing yet.
func New(o Options, log *slog.Logger) (*Sender, error) {
	address := o.URL
	if !strings.Contains(address, "://") {
		address = "http://" + address // as Triton's examples write it
	}
	at, err := url.Parse(address)
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
		return nil, fmt.Errorf("%q is not the address of a collector: write it as http://localhost:4318/v1/traces", o.URL)
	}
	over, err := otlptracehttp.New(context.Background(),
		otlptracehttp.WithHTTPClient(client()), otlptracehttp.WithEndpointURL(address), otlptracehttp.WithHeaders(map[string]string{}),
		otlptracehttp.WithCompression(otlptracehttp.NoCompression), otlptracehttp.WithTimeout(patience))
	if err != nil {
		return nil, fmt.Errorf("set up the sending to the collector %s: %w", o.URL, err)
	}
	lost := &losses{log: log, url: o.URL, room: int64(o.Queue + o.Batch), now: time.Now}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(lost.handle)) // the library has one handler for the process
	s := &Sender{options: o, carriers: propagation.TraceContext{}, losses: lost}
	queue := sdk.NewBatchSpanProcessor(exporter{labelled{over, resource.NewSchemaless(o.attributes()...)}, lost},
		sdk.WithMaxQueueSize(o.Queue), sdk.WithBatchTimeout(o.Delay), sdk.WithMaxExportBatchSize(o.Batch), sdk.WithExportTimeout(patience))
	s.provider = sdk.NewTracerProvider(sdk.WithSpanProcessor(processor{queue, lost}),
		sdk.WithSampler(sdk.AlwaysSample()), sdk.WithRawSpanLimits(limits()), sdk.WithIDGenerator(identifiers{}))
	s.tracer = s.provider.Tracer("triton-server")
	return s, nil
}

// labelled is an exporter that gives each span its resource. The library would add what the environment says.
type labelled struct {
	sdk.SpanExporter
	resource *resource.Resource
}

// ExportSpans implements sdk.SpanExporter.
func (l labelled) ExportSpans(ctx context.Context, list []sdk.ReadOnlySpan) error {
	own := make([]sdk.ReadOnlySpan, len(list))
	for i, span := range list {
		own[i] = withResource{span, l.resource}
	}
	return l.SpanExporter.ExportSpans(ctx, own)
}

type withResource struct {
	sdk.ReadOnlySpan
	resource *resource.Resource
}

// Resource implements sdk.ReadOnlySpan.
func (w withResource) Resource() *resource.Resource { return w.resource }

// client returns a client that goes to the collector and nowhere else.
func client() *http.Client {
	return &http.Client{
		Transport:     &http.Transport{Proxy: nil, IdleConnTimeout: time.Minute, MaxIdleConns: 2, ForceAttemptHTTP2: true},
		Timeout:       patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// limits bound a span, so that a queue of spans is bounded.
func limits() sdk.SpanLimits {
	return sdk.SpanLimits{
		AttributeValueLengthLimit: 1024, AttributeCountLimit: 32, EventCountLimit: 1024, LinkCountLimit: 8,
		AttributePerEventCountLimit: 8, AttributePerLinkCountLimit: 8,
	}
}

func (o Options) attributes() []attribute.KeyValue {
	list := []attribute.KeyValue{attribute.String("service.name", "triton-inference-server")}
	for _, pair := range o.Resource {
		key, value, _ := cut(pair)
		list = slices.DeleteFunc(list, func(a attribute.KeyValue) bool { return string(a.Key) == key })
		list = append(list, attribute.String(key, value))
	}
	return list
}

// Options returns the sender's settings.
func (s *Sender) Options() Options { return s.options }

// Close sends what waits, for two seconds at most.
func (s *Sender) Close() {
	if s == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), flushing)
	defer cancel()
	_ = s.provider.Shutdown(ctx) // losses tells what it means
	s.losses.close()
}
