package serve_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"

	"conch/engine/kserve/kservepb"
	"conch/engine/serve"
)

const ofClient = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

// traced asks over HTTP and over gRPC, with and without a trace of the client, and returns the spans that a collector got.
func traced(t *testing.T, change func(f *serve.Flags, url string)) (names []string) {
	t.Helper()
	messages := make(chan []byte, 100)
	c := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		messages <- body
	}))
	defer c.Close()
	p := launch(t, func(f *serve.Flags) { change(f, c.URL) }, map[string]string{"a": "one"})
	at := p.addresses(t)
	for _, header := range []string{"", ofClient} {
		code, said := post(t, at.HttpAddress, "/v2/models/a/infer", `{"inputs":[{"name":"IN","shape":[2],"datatype":"FP32","data":[1,2]}]}`,
			func(r *http.Request) { r.Header.Set("traceparent", header) })
		if code != http.StatusOK {
			t.Errorf("%d %s", code, said)
		}
	}
	connection, err := grpc.NewClient(at.GrpcAddress, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	client := kservepb.NewGRPCInferenceServiceClient(connection)
	if _, err := client.ModelInfer(metadata.AppendToOutgoingContext(t.Context(), "traceparent", ofClient), request("g")); err != nil {
		t.Error(err)
	}
	p.stop(t)
	for len(messages) > 0 {
		m := &collector.ExportTraceServiceRequest{}
		if err := proto.Unmarshal(<-messages, m); err != nil {
			t.Fatal(err)
		}
		for _, span := range m.ResourceSpans[0].ScopeSpans[0].Spans {
			name := span.Name
			if strings.HasPrefix(ofClient, fmt.Sprintf("00-%x", span.TraceId)) {
				name = "client's " + name
			}
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// With mode=opentelemetry requests go to the collector: at rate 0 only those of a client's trace, otherwise others too.
// Without the mode nothing is sent.
func TestTracesGoToTheCollector(t *testing.T) {
	own := []string{"client's InferRequest", "client's InferRequest", "client's a", "client's a", "client's compute", "client's compute"}
	for name, c := range map[string]struct {
		config []string
		want   []string
	}{
		"those of clients":  {[]string{"mode=opentelemetry", "level=TIMESTAMPS", "rate=0"}, own},
		"all":               {[]string{"mode=opentelemetry", "level=min", "rate=1"}, append([]string{"InferRequest", "a"}, append(slices.Clone(own), "compute")...)},
		"off":               {[]string{"mode=opentelemetry", "rate=1"}, nil},
		"without the mode":  {[]string{"rate=1"}, nil},
		"mode triton again": {[]string{"mode=opentelemetry", "mode=triton", "rate=1"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := traced(t, func(f *serve.Flags, url string) {
				f.TraceConfig = append([]string{"opentelemetry,url=" + strings.TrimPrefix(url, "http://") + "/v1/traces"}, c.config...)
			})
			slices.Sort(c.want)
			if !slices.Equal(got, c.want) {
				t.Errorf("spans %q, want %q", got, c.want)
			}
		})
	}
}
