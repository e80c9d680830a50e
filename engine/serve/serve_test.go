package serve_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"conch/engine/backend"
	"conch/engine/backend/fake"
	"conch/engine/control"
	"conch/engine/control/controltest"
	"conch/engine/kserve/enginepb"
	"conch/engine/option"
	"conch/engine/serve"
)

const config = "backend: \"fake\" default_model_filename: \"model.fake\"\n" +
	"input [{ name: \"IN\" data_type: TYPE_FP32 dims: [2] }]\noutput [{ name: \"OUT\" data_type: TYPE_FP32 dims: [2] }]\n"

// process is a `conch serve` inside the test.
type process struct {
	dir    *controltest.Dir
	socket string
	end    io.Closer // the parent's pipe
	ended  chan error
	lost   chan func(device int, why string) // what the process gave its backends for a GPU that fails
}

// socketPath returns a path for a socket. It is short: a socket's path may have about 100 bytes, and t.TempDir
// contains the test's name.
func socketPath(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return filepath.Join(dir, "s")
}

func flags(socket string) *serve.Flags {
	f := &serve.Flags{Options: option.Default(), PrivateSocket: socket, ParentPipe: true}
	f.ModelControlMode, f.LoadModel, f.Reload, f.ExitTimeoutSecs = "explicit", []string{"*"}, "on-save", 20
	f.HTTPPort, f.GRPCPort, f.MetricsPort, f.ExitOnError = 0, 0, 0, false
	return f
}

func launch(t *testing.T, change func(f *serve.Flags), models map[string]string) *process {
	t.Helper()
	return launchWith(t, &fake.Backend{}, func(f *serve.Flags) {
		if change != nil {
			change(f)
		}
	}, models)
}

// launchWith starts a process over another backend.
func launchWith(t *testing.T, b backend.Backend, change func(f *serve.Flags), models ...map[string]string) *process {
	t.Helper()
	p := &process{dir: controltest.New(t, 1), socket: socketPath(t), ended: make(chan error, 1), lost: make(chan func(int, string), 1)}
	for _, group := range models {
		for name, text := range group {
			p.dir.Write(t, name+"/config.pbtxt", config)
			p.dir.Write(t, name+"/1/model.fake", text)
		}
	}
	p.dir.Look()
	f := flags(p.socket)
	change(f)
	read, write := io.Pipe()
	p.end = write
	deps := serve.Deps{
		OpenModels: func(context.Context, serve.RepositoryOptions) (control.ModelSource, io.Closer, error) {
			return p.dir, io.NopCloser(nil), nil
		},
		Backends: func(s serve.BackendSettings, _ *slog.Logger) []backend.Backend {
			p.lost <- s.Lost
			return []backend.Backend{b}
		},
		Stdin: read, Stderr: io.Discard,
	}
	go func() { p.ended <- f.Run(context.Background(), deps) }()
	return p
}

// stop closes the parent's pipe and waits for the end, half of what a process that waits for something may take.
func (p *process) stop(t *testing.T) {
	t.Helper()
	p.end.Close()
	select {
	case err := <-p.ended:
		if err != nil {
			t.Errorf("ended with %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("did not end")
	}
}

// watch connects to the private socket as soon as it exists.
func (p *process) watch(t *testing.T) (enginepb.EngineClient, grpc.ServerStreamingClient[enginepb.Event]) {
	t.Helper()
	connection, err := grpc.NewClient("unix://"+p.socket, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.WaitForReady(true)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	client := enginepb.NewEngineClient(connection)
	stream, err := client.Watch(t.Context(), &enginepb.WatchRequest{})
	if err != nil {
		t.Fatal(err)
	}
	return client, stream
}

// until reads events until one matches.
func until(t *testing.T, stream grpc.ServerStreamingClient[enginepb.Event], wished func(e *enginepb.Event) bool) *enginepb.Event {
	t.Helper()
	for {
		event, err := stream.Recv()
		if err != nil {
			t.Fatalf("watch: %v", err)
		}
		if wished(event) {
			return event
		}
	}
}

func TestLife(t *testing.T) {
	p := launch(t, nil, map[string]string{"a": "one"})
	client, stream := p.watch(t)
	server := until(t, stream, func(e *enginepb.Event) bool { return e.Server != nil && e.Server.Ready }).Server
	if info, err := os.Stat(p.socket); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("private socket: %v, %v; want mode 0600", info, err)
	}
	for _, address := range []string{server.HttpAddress, server.GrpcAddress, server.MetricsAddress} {
		if host, port, err := net.SplitHostPort(address); err != nil || host != "127.0.0.1" || port == "0" {
			t.Errorf("address %q is not where it listens", address)
		}
	}
	body := `{"inputs":[{"name":"IN","shape":[2],"datatype":"FP32","data":[1,2]}]}`
	reply, err := http.Post("http://"+server.HttpAddress+"/v2/models/a/infer", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(reply.Body)
	if reply.Body.Close(); reply.StatusCode != http.StatusOK || !strings.Contains(string(text), `"data":[1`) {
		t.Errorf("infer: %s %s", reply.Status, text)
	}
	sample, err := client.Sample(t.Context(), &enginepb.SampleRequest{})
	if err != nil || len(sample.Models) != 1 || sample.Models[0].Success != 1 || len(sample.Models[0].Latency.Index) != 1 {
		t.Errorf("sample = %v, %v; want one request counted", sample, err)
	}

	p.dir.Write(t, "a/1/model.fake", "broken: no good")
	p.dir.Look()
	event := until(t, stream, func(e *enginepb.Event) bool { return e.Happening != nil })
	if event.Happening.Kind != enginepb.Happening_KIND_RELOAD_FAILED || event.Happening.Reason != "broken: no good" {
		t.Errorf("happening = %v", event.Happening)
	}
	p.dir.Write(t, "a/1/model.fake", "two")
	p.dir.Look()
	until(t, stream, func(e *enginepb.Event) bool {
		return e.Happening.GetKind() == enginepb.Happening_KIND_RELOADED && e.Happening.TookNs > 0
	})
	if _, err := client.ForceReload(t.Context(), &enginepb.ForceReloadRequest{Model: "nobody"}); err == nil {
		t.Error("a forced reload of nothing succeeded")
	}
	p.stop(t)
}

func TestRemovedModelIsTold(t *testing.T) {
	p := launch(t, nil, map[string]string{"a": "one", "b": "one"})
	_, stream := p.watch(t)
	until(t, stream, func(e *enginepb.Event) bool { return e.Server != nil && e.Server.Ready })
	p.dir.Remove(t, "b")
	p.dir.Look()
	until(t, stream, func(e *enginepb.Event) bool { return strings.Join(e.Removed, " ") == "b" })
	p.stop(t)
}

func TestPortThatIsTaken(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	port := l.Addr().(*net.TCPAddr).Port
	p := launch(t, func(f *serve.Flags) { f.GRPCPort = port }, nil)
	err = <-p.ended
	want := []string{fmt.Sprintf("port %d for gRPC is taken", port), "--grpc-port", "--any-port"}
	for _, text := range want {
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("error = %v, want %q in it", err, text)
		}
	}
	if holder := fmt.Sprintf("by serve.test (process %d)", os.Getpid()); runtime.GOOS == "linux" && err != nil && !strings.Contains(err.Error(), holder) {
		t.Errorf("the holder is not named: %v", err)
	}

	p = launch(t, func(f *serve.Flags) { f.GRPCPort, f.AnyPort = port, true }, nil)
	_, stream := p.watch(t)
	server := until(t, stream, func(e *enginepb.Event) bool { return e.Server != nil }).Server
	if strings.HasSuffix(server.GrpcAddress, fmt.Sprint(":", port)) || server.GrpcAddress == "" {
		t.Errorf("gRPC is at %q, want another port", server.GrpcAddress)
	}
	p.stop(t)
}

func TestExitOnError(t *testing.T) {
	p := launch(t, func(f *serve.Flags) { f.ExitOnError = true }, map[string]string{"a": "broken"})
	if err := <-p.ended; err == nil || err.Error() != "creating server: Internal - failed to load all models" {
		t.Errorf("ended with %v", err)
	}
}

func TestFlagsThatContradict(t *testing.T) {
	for want, change := range map[string]func(f *serve.Flags){
		"use of '--load-model' requires setting '--model-control-mode=explicit' as well": func(f *serve.Flags) { f.ModelControlMode = "none" },
		"creating server: Invalid argument - Wildcard model name '*' must be the ONLY startup model if specified at all.": func(f *serve.Flags) {
			f.LoadModel = []string{"*", "a"}
		},
		"HTTP and metrics cannot both listen on port 12345: choose another port with --http-port or --metrics-port": func(f *serve.Flags) {
			f.HTTPPort, f.MetricsPort = 12345, 12345
		},
		"creating server: Invalid argument - Failed to initialize LocalCache: config didn't contain a valid 'size' field.": func(f *serve.Flags) {
			f.CacheConfig = []string{"local,foo=1"}
		},
		"--backend-config option format is '<backend name>,<setting>=<value>'. Got x": func(f *serve.Flags) { f.BackendConfig = []string{"x"} },
	} {
		p := launch(t, change, nil)
		if err := <-p.ended; err == nil || err.Error() != want {
			t.Errorf("ended with %v\nwant %s", err, want)
		}
	}
}
