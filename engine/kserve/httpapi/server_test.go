package httpapi_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"conch/engine/infer"
	"conch/engine/kserve/httpapi"
	"conch/engine/kserve/kservetest"
)

// NewServer answers over a real connection, also with chunked bodies.
func TestServer(t *testing.T) {
	onBothRoads(t, func(t *testing.T, serve func(*http.Server) string) {
		url := "http://" + serve(httpapi.NewServer(kservetest.Identity(), httpapi.Options{})) + "/v2/models/m/infer"
		for _, body := range []io.Reader{struct{ *strings.Reader }{strings.NewReader(addOne)}, strings.NewReader(addOne)} {
			r, err := http.NewRequest(http.MethodPost, url, body)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "application/json" {
				t.Errorf("%s %v", resp.Status, resp.Header)
			}
		}
	})
}

// A client that hangs up does not stop its request (docs/triton/http.md, "Paths").
func TestHangingUpDoesNotCancel(t *testing.T) {
	svc := kservetest.Identity()
	begun, ended, gone := make(chan struct{}), make(chan error, 1), make(chan struct{})
	svc.InferFunc = func(ctx context.Context, _ *infer.Request, _ infer.Sink) error {
		close(begun)
		<-gone
		ended <- ctx.Err()
		return nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	r := httptest.NewRequest(http.MethodPost, "/v2/models/m/infer", strings.NewReader(addOne)).WithContext(ctx)
	go httpapi.New(svc, httpapi.Options{}).ServeHTTP(httptest.NewRecorder(), r)
	<-begun
	cancel()
	close(gone)
	if err := <-ended; err != nil {
		t.Errorf("the request was cancelled: %v", err)
	}
}

func TestNotReadyIs400(t *testing.T) {
	svc := &kservetest.Service{
		LiveFunc:  func() bool { return false },
		ReadyFunc: func() bool { return false },
	}
	handler := httpapi.New(svc, httpapi.Options{})
	for _, path := range []string{"GET /v2/health/live", "GET /v2/health/ready"} {
		if got := play(t, handler, path); got != "400\nContent-Type: text/plain\n\n\n" {
			t.Errorf("%s: %q", path, got)
		}
	}
}
