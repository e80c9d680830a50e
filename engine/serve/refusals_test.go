package serve_test

import (
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"conch/engine/kserve/enginepb"
	"conch/engine/kserve/kservepb"
	"conch/engine/serve"
)

// refused are the refusals that a reader has, by their reason.
type refused struct {
	stream  grpc.ServerStreamingClient[enginepb.Refusals]
	reasons map[string]*enginepb.Refusal
}

func (p *process) refusals(t *testing.T) *refused {
	t.Helper()
	private, _ := p.clients(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second) // else find waits for ever for what does not come
	t.Cleanup(cancel)
	stream, err := private.WatchRefusals(ctx, &enginepb.WatchRefusalsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	first, err := stream.Recv()
	if err != nil || !first.Reset_ {
		t.Fatalf("first message: %v, %v", first, err)
	}
	return &refused{stream, map[string]*enginepb.Refusal{}}
}

// requestID is what a reason that a client gets may begin with. It is kept beside the reason.
var requestID = regexp.MustCompile(`^\[request id: [^\]]*\] `)

// find reads until there is a refusal whose reason contains text.
func (r *refused) find(t *testing.T, text string) *enginepb.Refusal {
	t.Helper()
	text = requestID.ReplaceAllString(text, "")
	for {
		for reason, group := range r.reasons {
			if strings.Contains(reason, text) {
				return group
			}
		}
		m, err := r.stream.Recv()
		if err != nil {
			t.Fatalf("no refusal says %q: %v; there are %v", text, err, r.reasons)
		}
		for _, group := range m.Changed {
			r.reasons[group.Reason] = group
		}
	}
}

// public is a client of the public gRPC port.
func public(t *testing.T, address string) (*grpc.ClientConn, kservepb.GRPCInferenceServiceClient) {
	t.Helper()
	connection, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	return connection, kservepb.NewGRPCInferenceServiceClient(connection)
}

const secret = "4242.25"

// Every kind of refusal over HTTP can be read on the private socket, with the reason that the client got.
func TestRefusedHTTPRequestsAreKept(t *testing.T) {
	p := launch(t, func(f *serve.Flags) { f.HTTPMaxInput = 1 << 10 }, map[string]string{"a": "one"})
	defer p.stop(t)
	at := p.addresses(t)
	kept := p.refusals(t)
	plain := func(*http.Request) {}
	wrongShape := `{"id":"r7","inputs":[{"name":"IN","shape":[3],"datatype":"FP32","data":[1,2,` + secret + `]}]}`
	for _, c := range []struct {
		address, path, body, model, status string
		change                             func(*http.Request)
	}{
		{at.HttpAddress, "/v2/models/a/infer", "{ this is no JSON " + secret, "a", "500 Internal Server Error", plain},
		{at.HttpAddress, "/v2/models/nobody/infer", "{}", "nobody", "404 Not Found", plain},
		{at.HttpAddress, "/v2/models/a/versions/9/infer", "{}", "a", "404 Not Found", plain},
		{at.HttpAddress, "/v2/models/a/infer", wrongShape, "a", "400 Bad Request", plain},
		{at.HttpAddress, "/v2/modles/a/infer", "{}", "", "404 Not Found", plain},
		{at.HttpAddress, "/v2/models/a", "{}", "a", "405 Method Not Allowed", plain},
		{at.HttpAddress, "/v2/models/a/infer", strings.Repeat(" ", 1<<11), "a", "400 Bad Request", plain},
		{at.HttpAddress, "/v2/models/a/infer", "{}", "", "403 Forbidden", func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }},
		{at.MetricsAddress, "/metrics", "", "", "403 Forbidden", func(r *http.Request) { r.Host = "evil.example:8002" }},
	} {
		code, body := post(t, c.address, c.path, c.body, c.change)
		var answer struct{ Error string }
		if err := json.Unmarshal([]byte(body), &answer); err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		got := kept.find(t, answer.Error)
		if got.Status != c.status || !strings.HasPrefix(got.Status, http.StatusText(code)) && got.Status[:3] != c.status[:3] ||
			got.Model != c.model || got.Path != c.path || got.Method != "POST" || !strings.HasPrefix(got.Newest[0].Client, "127.0.0.1:") {
			t.Errorf("%s answered %d %s, but %v is kept", c.path, code, answer.Error, got)
		}
		if strings.Contains(got.String(), secret) {
			t.Errorf("data of a tensor is kept: %v", got)
		}
		kept.reasons = map[string]*enginepb.Refusal{}
	}
}

// The ID of a refused request is kept, and requests that succeed are not.
func TestRefusedRequestsHaveTheirID(t *testing.T) {
	p := launch(t, nil, map[string]string{"a": "one"})
	defer p.stop(t)
	at := p.addresses(t)
	kept := p.refusals(t)
	for id, data := range map[string]string{"good": "[1,2]", "bad": "[1,2,3]"} {
		shape := map[string]string{"good": "[2]", "bad": "[3]"}[id]
		post(t, at.HttpAddress, "/v2/models/a/infer", `{"id":"`+id+`","inputs":[{"name":"IN","shape":`+shape+`,"datatype":"FP32","data":`+data+`}]}`, func(*http.Request) {})
	}
	if got := kept.find(t, "shape"); got.Newest[0].Id != "bad" || len(got.Newest) != 1 || len(kept.reasons) != 1 {
		t.Errorf("kept = %v", kept.reasons)
	}
}

// Refusals over gRPC are kept too: of calls, of requests of a stream, of methods that do not exist.
func TestRefusedCallsAreKept(t *testing.T) {
	p := launch(t, nil, map[string]string{"a": "one"})
	defer p.stop(t)
	connection, client := public(t, p.addresses(t).GrpcAddress)
	kept := p.refusals(t)
	wrong := request("r1")
	wrong.Inputs[0].Shape = []int64{3}
	_, err := client.ModelInfer(t.Context(), wrong)
	if got := kept.find(t, status.Convert(err).Message()); got.Status != "INVALID_ARGUMENT" || got.Model != "a" || got.Method != "ModelInfer" || got.Newest[0].Id != "r1" {
		t.Errorf("ModelInfer: %v", got)
	}
	_, err = client.ModelMetadata(t.Context(), &kservepb.ModelMetadataRequest{Name: "nobody", Version: "3"})
	if got := kept.find(t, status.Convert(err).Message()); got.Status != "NOT_FOUND" || got.Model != "nobody" || got.Version != "3" {
		t.Errorf("ModelMetadata: %v", got)
	}
	stream, err := client.ModelStreamInfer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := request("r2")
	elsewhere.ModelName = "elsewhere"
	if err := stream.Send(elsewhere); err != nil {
		t.Fatal(err)
	}
	answer, err := stream.Recv()
	if err != nil {
		t.Fatal(err)
	}
	if got := kept.find(t, answer.ErrorMessage); got.Status != "error in the stream" || got.Model != "elsewhere" || got.Newest[0].Id != "r2" {
		t.Errorf("ModelStreamInfer: %v", got)
	}
	for method, words := range map[string]string{
		"/inference.GRPCInferenceService/Guess": "unknown method Guess for service inference.GRPCInferenceService",
		"/nobody.Service/Guess":                 "unknown service nobody.Service",
	} {
		err := connection.Invoke(t.Context(), method, &kservepb.ServerLiveRequest{}, &kservepb.ServerLiveResponse{})
		if got := kept.find(t, words); status.Code(err) != codes.Unimplemented || status.Convert(err).Message() != words || got.Method != method {
			t.Errorf("%s: %v, kept as %v", method, err, got)
		}
	}
}

// Refusals name other clients: the public port does not tell them, and what the workbench itself asks is not among them.
func TestRefusalsAreForTheWorkbench(t *testing.T) {
	p := launch(t, nil, map[string]string{"a": "one"})
	defer p.stop(t)
	at := p.addresses(t)
	connection, _ := public(t, at.GrpcAddress)
	stream, err := enginepb.NewEngineClient(connection).WatchRefusals(t.Context(), &enginepb.WatchRefusalsRequest{})
	if err == nil {
		_, err = stream.Recv()
	}
	if status.Code(err) != codes.Unimplemented {
		t.Errorf("the public port answers %v", err)
	}
	_, private := p.clients(t)
	wrong := request("own")
	wrong.Inputs[0].Shape = []int64{3}
	if _, err := private.ModelInfer(t.Context(), wrong); err == nil {
		t.Fatal("a wrong shape was taken")
	}
	post(t, at.HttpAddress, "/v2/models/other/infer", "{}", func(*http.Request) {})
	kept := p.keptNow(t)
	if slices.ContainsFunc(kept, func(r *enginepb.Refusal) bool { return r.Model == "a" }) || len(kept) != 2 {
		t.Errorf("kept = %v", kept)
	}
}

// keptNow returns all refusals that are kept.
func (p *process) keptNow(t *testing.T) []*enginepb.Refusal {
	t.Helper()
	private, _ := p.clients(t)
	stream, err := private.WatchRefusals(t.Context(), &enginepb.WatchRefusalsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	first, err := stream.Recv()
	if err != nil {
		t.Fatal(err)
	}
	return first.Changed
}
