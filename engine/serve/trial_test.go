package serve_test

import (
	"net/http"
	"testing"

	"google.golang.org/grpc/metadata"

	"conch/engine/kserve/enginepb"
)

// The workbench's trials are in no sum, whether they are answered or not. A request of a client is counted, also one that says that it is a trial.
func TestOnlyTheWorkbenchSendsTrials(t *testing.T) {
	p := launch(t, nil, map[string]string{"a": "one"})
	defer p.stop(t)
	at := p.addresses(t)
	private, own := p.clients(t)
	_, client := public(t, at.GrpcAddress)
	counted := func() (n uint64) {
		sample, err := private.Sample(t.Context(), &enginepb.SampleRequest{})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range sample.Models {
			n += m.Success + m.Failure + m.Executions + m.Clients.Success + m.Clients.Failure
		}
		return n
	}
	ctx := metadata.AppendToOutgoingContext(t.Context(), "conch-trial", "1")
	if _, err := own.ModelInfer(ctx, request("r")); err != nil {
		t.Fatal(err)
	}
	if n := counted(); n != 0 {
		t.Errorf("a trial is counted as %d", n)
	}
	const each = 3 // a success, an execution, and a client's success
	if _, err := client.ModelInfer(ctx, request("r")); err != nil {
		t.Fatal(err)
	}
	if n := counted(); n != each {
		t.Errorf("a client's request over gRPC is counted as %d", n)
	}
	body := `{"inputs":[{"name":"IN","shape":[2],"datatype":"FP32","data":[1,2]}]}`
	post(t, at.HttpAddress, "/v2/models/a/infer", body, func(r *http.Request) { r.Header.Set("Conch-Trial", "1") })
	if n := counted(); n != 2*each {
		t.Errorf("with a client's request over HTTP it is %d", n)
	}
}
