package serve_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"conch/engine/backend"
	"conch/engine/backend/fake"
	"conch/engine/control"
	"conch/engine/control/controltest"
	"conch/engine/serve"
)

// freePort returns a port that nobody listens on.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// Without the workbench, the ports open when the models are loaded, so that nobody who waits for a port is refused. The
// log has Triton's table and lines.
func TestPortsOpenAfterTheLoad(t *testing.T) {
	dir := controltest.New(t, 1)
	for name, text := range map[string]string{"a": "fine", "b": "broken"} {
		dir.Write(t, name+"/config.pbtxt", config)
		dir.Write(t, name+"/1/model.fake", text)
	}
	dir.Write(t, "c/config.pbtxt", config)
	dir.Look()
	loading, load := make(chan struct{}, 2), make(chan struct{})
	b := &fake.Backend{OnLoad: func(context.Context, backend.Spec) error {
		loading <- struct{}{}
		<-load
		return nil
	}}
	f := flags("")
	f.HTTPPort, f.GRPCPort, f.MetricsPort = freePort(t), freePort(t), freePort(t)
	reader, writer := io.Pipe()
	stdin, end := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- f.Run(t.Context(), serve.Deps{
			OpenModels: func(context.Context, serve.RepositoryOptions) (control.ModelSource, io.Closer, error) {
				return dir, io.NopCloser(nil), nil
			},
			Backends: func(serve.BackendSettings, *slog.Logger) []backend.Backend { return []backend.Backend{b} },
			Stdin:    stdin, Stderr: writer,
		})
		writer.Close()
	}()
	lines := make(chan string, 100)
	go func() {
		defer close(lines)
		for scanner := bufio.NewScanner(reader); scanner.Scan(); {
			lines <- scanner.Text()
		}
	}()
	<-loading
	for _, port := range []int{f.HTTPPort, f.GRPCPort, f.MetricsPort} {
		if c, err := net.DialTimeout("tcp", fmt.Sprint("127.0.0.1:", port), time.Second); err == nil {
			c.Close()
			t.Errorf("port %d is open while a model is loaded", port)
		}
	}
	close(load)
	log := ""
	for line := range lines {
		if log += line + "\n"; strings.Contains(line, "Started Metrics Service") {
			break
		}
	}
	resp, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d/v2/models/a/ready", f.HTTPPort))
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("after the load: %v, %v", resp, err)
	} else {
		resp.Body.Close()
	}
	for _, want := range []string{
		"\"successfully loaded 'a'\"", "| Model | Version | Status", "\n| a     | 1       | READY", "\n| b     | 1       | UNAVAILABLE: ",
		"\n| c     | -       | Not loaded: No model version was found",
		fmt.Sprint("Started GRPCInferenceService at 127.0.0.1:", f.GRPCPort), fmt.Sprint("Started HTTPService at 127.0.0.1:", f.HTTPPort),
	} {
		if !strings.Contains(log, want) {
			t.Errorf("the log has no %q:\n%s", want, log)
		}
	}
	end.Close()
	for range lines { // what is logged at the end
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
