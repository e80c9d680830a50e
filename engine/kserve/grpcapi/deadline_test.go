package grpcapi_test

import (
	"context"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"conch/engine/budget"
	"conch/engine/infer"
	"conch/engine/kserve"
	"conch/engine/kserve/kservepb"
	"conch/engine/kserve/kservetest"
)

// A call whose deadline is over ends with Triton's words, wherever it is served and whatever it waits for.
func TestDeadline(t *testing.T) {
	held := make(chan struct{})
	svc := kservetest.Identity()
	svc.LoadFunc = func(context.Context, string, kserve.LoadOptions) error {
		<-held
		return nil
	}
	svc.InferFunc = func(ctx context.Context, r *infer.Request, _ infer.Sink) error {
		if r.ID == "queued" {
			<-ctx.Done()
			return infer.Errorf(infer.Cancelled, "request was cancelled while it waited")
		}
		<-held
		return nil
	}
	_, _, address := bounded(t, budget.Of(1<<30), 20*time.Second, svc)
	defer close(held)
	passed := [2]string{"a-bin", "AAAA"} // only gRPC's server reads such metadata
	for name, c := range map[string]struct {
		method  string
		message proto.Message
		header  [][2]string
	}{
		"on the road":            {"ModelInfer", request(""), nil},
		"passed on":              {"ModelInfer", request(""), [][2]string{passed}},
		"queued":                 {"ModelInfer", request("queued"), [][2]string{passed}},
		"its message is missing": {"ModelInfer", nil, nil},
		"a load":                 {"RepositoryModelLoad", &kservepb.RepositoryModelLoadRequest{ModelName: "m"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			for range 10 { // at a busy moment gRPC may end the call before us, also in its own words where it comes to it too late
				got, took := untilDeadline(t, newHTTP2(t, address), c.method, c.message, c.header...)
				switch {
				case got == "reset" || got == context.DeadlineExceeded.Error():
					continue
				case got != "Deadline Exceeded" || took < 80*time.Millisecond:
					t.Errorf("%q after %v", got, took)
				}
				return
			}
			t.Error("it is reset each time")
		})
	}
}

// untilDeadline makes a call that has 100 milliseconds, and returns how it ended, and when. Without a message none comes.
func untilDeadline(t *testing.T, h *http2Client, method string, message proto.Message, header ...[2]string) (end string, took time.Duration) {
	t.Helper()
	began := time.Now()
	h.header(t, method, append(header, [2]string{"grpc-timeout", "100m"})...)
	if message != nil {
		h.data(t, framed(t, message))
		h.close(t)
	}
	return h.message(t), time.Since(began)
}
