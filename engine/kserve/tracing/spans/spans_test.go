package spans_test

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"conch/engine/infer"
	"conch/engine/kserve/tracing/spans"
)

// received is a collector. It keeps what is sent to it.
type received struct {
	*httptest.Server
	messages chan *collector.ExportTraceServiceRequest
}

func collect(t *testing.T) *received {
	t.Helper()
	c := &received{messages: make(chan *collector.ExportTraceServiceRequest, 100)}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		message := &collector.ExportTraceServiceRequest{}
		if err != nil || proto.Unmarshal(body, message) != nil {
			t.Errorf("a message cannot be read: %v", err)
		}
		if r.Header.Get("X-Env") != "" {
			t.Error("a header of the environment is sent")
		}
		c.messages <- message
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	t.Cleanup(c.Close)
	return c
}

// all returns the spans that have come, by name, and the resource of the last message.
func (c *received) all() (list map[string]*otlp.Span, resource string) {
	list = map[string]*otlp.Span{}
	for len(c.messages) > 0 {
		for _, r := range (<-c.messages).ResourceSpans {
			resource = r.Resource.String()
			for _, scope := range r.ScopeSpans {
				for _, span := range scope.Spans {
					list[span.Name] = span
				}
			}
		}
	}
	return list, resource
}

func newSender(t *testing.T, url string, resource ...string) *spans.Sender {
	t.Helper()
	o := spans.Defaults
	o.URL, o.Resource = url+"/v1/traces", resource
	s, err := spans.New(o, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const (
	traceOfClient = "0af7651916cd43dd8448eb211c80319c"
	spanOfClient  = "b7ad6b7169203331"
)

var clients = http.Header{"Traceparent": {"00-" + traceOfClient + "-" + spanOfClient + "-01"}, "Tracestate": {"a=b"}}

func hex(b []byte) string { return fmt.Sprintf("%x", b) }

// A request is a span of its client's trace; its model, each execution and each step of an ensemble are spans in it.
func TestSpansOfAnEnsemble(t *testing.T) {
	c := collect(t)
	s := newSender(t, c.URL, "a=1", "service.name=mine", "a=2")
	parent := s.Parent(clients)
	trace := &infer.Trace{Span: parent.Span()}
	began := time.Now()
	trace.Begin("ensemble", 1, &infer.Request{ID: "r", Received: began})
	step := trace.Child(0)
	if seen := step.Span.Traceparent(); !strings.HasPrefix(seen, "00-"+traceOfClient+"-") || seen == trace.Span.Traceparent() || step.Span.State != "a=b" {
		t.Errorf("the step sees %s, %s", seen, step.Span.State)
	}
	step.Begin("step", 3, &infer.Request{Received: began})
	step.Ran(infer.Execution{Start: began, Timings: infer.Timings{Input: 1, Infer: 2, Output: 3}})
	step.End(infer.Errorf(infer.Internal, "boom"))
	trace.Child(1).Begin("running", 1, &infer.Request{Received: began})
	trace.Answered(&infer.Response{Final: true})
	trace.End(nil)
	s.Send(parent, trace, []spans.Mark{{Name: "HTTP_RECV_START", At: began.Add(-time.Second)}, {Name: "HTTP_SEND_END", At: time.Now()}})
	s.Close()
	list, resource := c.all()
	for name, want := range map[string]struct{ parent, events string }{
		"InferRequest": {"", "HTTP_RECV_START INFER_RESPONSE_COMPLETE HTTP_SEND_END"},
		"ensemble":     {"InferRequest", "REQUEST_START QUEUE_START REQUEST_END"},
		"step":         {"ensemble", "REQUEST_START QUEUE_START REQUEST_END"},
		"compute":      {"step", "COMPUTE_START COMPUTE_INPUT_END COMPUTE_OUTPUT_START COMPUTE_END"},
	} {
		span := list[name]
		if span == nil {
			t.Errorf("there is no span %s", name)
			continue
		}
		above := spanOfClient
		if want.parent != "" {
			above = hex(list[want.parent].GetSpanId())
		}
		var events []string
		for _, e := range span.Events {
			events = append(events, e.Name)
		}
		if hex(span.TraceId) != traceOfClient || hex(span.ParentSpanId) != above || strings.Join(events, " ") != want.events {
			t.Errorf("%s: trace %x, below %x, events %v", name, span.TraceId, span.ParentSpanId, events)
		}
	}
	if len(list) != 4 {
		t.Errorf("%d spans", len(list))
	}
	if hex(list["step"].GetSpanId()) != strings.Split(step.Span.Traceparent(), "-")[2] {
		t.Error("the step's span is not the one that its model was told")
	}
	if list["step"].GetStatus().GetMessage() != "boom" || list["ensemble"].GetStatus().GetMessage() != "" {
		t.Errorf("statuses: %v, %v", list["step"].GetStatus(), list["ensemble"].GetStatus())
	}
	if !strings.Contains(resource, `"mine"`) || !strings.Contains(resource, `"2"`) || strings.Contains(resource, `"1"`) {
		t.Errorf("the resource is %s", resource)
	}
}

// An error is an answer; a request that was refused is no trace at all.
func TestSpansOfFailures(t *testing.T) {
	c := collect(t)
	s := newSender(t, c.URL)
	refused := &infer.Trace{}
	refused.End(nil)
	s.Send(spans.Parent{}, refused, []spans.Mark{{Name: "HTTP_RECV_START", At: time.Now()}})
	failed := &infer.Trace{}
	failed.Begin("failing", 1, &infer.Request{Received: time.Now()})
	failed.End(infer.Errorf(infer.Internal, "boom"))
	s.Send(spans.Parent{}, failed, []spans.Mark{{Name: "HTTP_SEND_END", At: failed.Ended.Add(time.Second)}})
	s.Close()
	list, _ := c.all()
	var events []string
	for _, e := range list["InferRequest"].GetEvents() {
		events = append(events, e.Name)
	}
	if got := strings.Join(events, " "); len(list) != 2 || list["failing"] == nil || got != "INFER_RESPONSE_COMPLETE HTTP_SEND_END" {
		t.Errorf("%d spans, events of the request: %s", len(list), got)
	}
}

// Nothing goes elsewhere than to the collector of the flags, whatever the environment says; and nothing of it is sent.
func TestTheEnvironmentSendsNothing(t *testing.T) {
	stranger := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("a stranger got %s %s", r.Method, r.URL)
	}))
	defer stranger.Close()
	for name, value := range map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": stranger.URL, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": stranger.URL, "OTEL_TRACES_EXPORTER": "otlp",
		"HTTP_PROXY": stranger.URL, "http_proxy": stranger.URL, "ALL_PROXY": stranger.URL, "OTEL_EXPORTER_OTLP_HEADERS": "x-env=secret",
		"OTEL_EXPORTER_OTLP_TRACES_HEADERS": "x-env=secret", "OTEL_RESOURCE_ATTRIBUTES": "secret=of-the-environment", "OTEL_SERVICE_NAME": "of-the-environment",
		"OTEL_TRACES_SAMPLER": "always_off", "OTEL_BSP_SCHEDULE_DELAY": "1", "OTEL_GO_X_OBSERVABILITY": "true",
	} {
		t.Setenv(name, value)
	}
	c := collect(t)
	s := newSender(t, c.URL)
	trace := &infer.Trace{Span: s.Parent(http.Header{}).Span()}
	trace.Begin("m", 1, &infer.Request{Received: time.Now()})
	trace.End(nil)
	s.Send(spans.Parent{}, trace, nil)
	s.Close()
	list, resource := c.all()
	if len(list) != 2 || strings.Contains(resource, "environment") || !strings.Contains(resource, "triton-inference-server") {
		t.Errorf("%d spans, resource %s", len(list), resource)
	}
	if root, model := list["InferRequest"], list["m"]; !slices.Equal(root.GetSpanId(), model.GetParentSpanId()) || len(root.GetParentSpanId()) > 0 {
		t.Errorf("root %v, model %v", root, model)
	}
}

// A collector cannot send the traces on to another place.
func TestRedirectsAreNotFollowed(t *testing.T) {
	stranger := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("a stranger got %s", r.URL) }))
	defer stranger.Close()
	asked := make(chan struct{}, 10)
	c := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		http.Redirect(w, r, stranger.URL, http.StatusTemporaryRedirect)
	}))
	defer c.Close()
	s := newSender(t, c.URL)
	trace := &infer.Trace{Span: spans.Parent{}.Span()}
	trace.Begin("m", 1, &infer.Request{Received: time.Now()})
	trace.End(nil)
	s.Send(spans.Parent{}, trace, nil)
	s.Close()
	if len(asked) == 0 {
		t.Error("the collector was not asked")
	}
}
