package faults_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"testing"
	"time"

	"conch/engine/backend/onnx/onnxtest"
	"conch/engine/kserve/kservepb"
)

// TestSilentClients connects more clients than the process may have files, each of which says nothing. Metrics, a client
// that was there before, and the loading of a model that was changed go on.
func TestSilentClients(t *testing.T) {
	f := begin(t)
	repository := t.TempDir()
	write(t, repository, "add/1/model.onnx", adder(3))
	web, port, metrics := freePort(t), freePort(t), freePort(t)
	cmd := exec.Command("sh", "-c", `ulimit -n 1024 && exec "$0" "$@"`, program, "serve", "--model-repository="+repository,
		"--model-control-mode=explicit", "--load-model=add", "--http-port="+web, "--grpc-port="+port, "--metrics-port="+metrics)
	cmd.Env = append(os.Environ(), "CONCH_DATA_DIR="+t.TempDir(), "CONCH_ONNXRUNTIME="+onnxtest.Library(t))
	s := start(t, repository, cmd, port)
	for n := range f.rounds(1) {
		var silent []net.Conn
		for _, at := range []string{web, port} {
			for range 1100 {
				c, err := net.DialTimeout("tcp", "127.0.0.1:"+at, 5*time.Second)
				if err != nil {
					break // the system's queue is full: more do not get near
				}
				silent = append(silent, c)
				f.throw("silent clients", 1)
			}
		}
		s.goesOn(t, f, metrics, int32(n+3))
		for _, c := range silent {
			_ = c.Close()
		}
	}
}

// goesOn asks for metrics and has a changed model loaded.
func (s *server) goesOn(t *testing.T, f *fault, metrics string, n int32) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("http://127.0.0.1:%s/metrics", metrics), nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		f.lose("the metrics: %v", err)
		return
	}
	defer answer.Body.Close()
	if text, err := io.ReadAll(answer.Body); err != nil || len(text) == 0 {
		f.lose("the metrics: %d bytes, %v", len(text), err)
	}
	write(t, s.repository, "add/1/model.onnx", adder(n))
	if _, err := s.RepositoryModelLoad(ctx, &kservepb.RepositoryModelLoadRequest{ModelName: "add"}); err != nil {
		f.lose("a load: %v", err)
	}
	if got, err := s.add(ctx, "add", 5); err != nil || got != n {
		f.lose("a request after the load: %d, %v", got, err)
	}
}
