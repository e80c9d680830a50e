package httpapi_test

import (
	"context"
	"errors"
	"net"
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
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := httpapi.NewServer(kservetest.Identity(), httpapi.Options{})
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	t.Cleanup(func() {
		_ = server.Close()
		if err := <-done; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	url := "http://" + listener.Addr().String() + "/v2/models/m/infer"
	chunked, err := http.NewRequest(http.MethodPost, url, struct{ *strings.Reader }{strings.NewReader(addOne)})
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(chunked)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "application/json" {
		t.Errorf("%s %v", resp.Status, resp.Header)
	}
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
		if got := exchange(t, handler, path); got != "400\nContent-Type: text/plain\n\n\n" {
			t.Errorf("%s: %q", path, got)
		}
	}
}
