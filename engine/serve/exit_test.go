package serve_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"conch/engine/backend"
	"conch/engine/backend/fake"
	"conch/engine/control"
	"conch/engine/control/controltest"
	"conch/engine/kserve/kservepb"
	"conch/engine/serve"
)

// stepOf returns an ensemble of one model.
func stepOf(model, in, out string) string {
	return fmt.Sprintf("platform: \"ensemble\" input [{ name: \"X\" data_type: TYPE_FP32 dims: [2] }] output [{ name: \"Y\" data_type: TYPE_FP32 dims: [2] }]\n"+
		"ensemble_scheduling { step [{ model_name: %q model_version: -1 input_map { key: %q value: \"X\" } output_map { key: %q value: \"Y\" } }] }\n", model, in, out)
}

// endless is a process with something that never ends; begun is closed when it runs.
type endless struct {
	backend *fake.Backend
	dir     *controltest.Dir
	open    func(ctx context.Context) (control.ModelSource, io.Closer, error)
	begin   func(t *testing.T, socket string) // starts it in the running process
	begun   chan struct{}
	never   chan struct{} // closed when the test is over
}

func (e *endless) hang() {
	close(e.begun)
	<-e.never
}

type slowCloser struct{ hang func() }

func (c slowCloser) Close() error {
	c.hang()
	return nil
}

// --exit-timeout-secs bounds the whole shutdown, even if something hangs.
func TestExitTimeoutBoundsTheEnd(t *testing.T) {
	for name, prepare := range map[string]func(t *testing.T, e *endless){
		"a load that does not come back": func(_ *testing.T, e *endless) {
			e.backend.OnLoad = func(context.Context, backend.Spec) error { e.hang(); return nil }
		},
		"a load that ends when it is given up": func(_ *testing.T, e *endless) {
			e.backend.OnLoad = func(ctx context.Context, _ backend.Spec) error {
				close(e.begun)
				<-ctx.Done()
				return context.Cause(ctx)
			}
		},
		"a request in an ensemble of an ensemble": func(t *testing.T, e *endless) {
			e.dir.Write(t, "inner/config.pbtxt", stepOf("m", "IN", "OUT"))
			e.dir.Write(t, "inner/1/", "")
			e.dir.Write(t, "outer/config.pbtxt", stepOf("inner", "X", "Y"))
			e.dir.Write(t, "outer/1/", "")
			e.backend.OnExecute = func(context.Context, backend.Spec, *backend.Batch) { e.hang() }
			e.begin = func(t *testing.T, socket string) { ask(t, socket, "outer") }
		},
		"a walk through the repository": func(_ *testing.T, e *endless) {
			e.open = func(context.Context) (control.ModelSource, io.Closer, error) {
				e.hang()
				return nil, nil, io.EOF
			}
		},
		"a walk that closing waits for": func(_ *testing.T, e *endless) {
			e.open = func(context.Context) (control.ModelSource, io.Closer, error) {
				return e.dir, slowCloser{func() { <-e.never }}, nil
			}
			e.begin = func(*testing.T, string) { close(e.begun) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := &endless{backend: &fake.Backend{}, dir: controltest.New(t, 1), begun: make(chan struct{}), never: make(chan struct{})}
			t.Cleanup(func() { close(e.never) })
			e.dir.Write(t, "m/config.pbtxt", config)
			e.dir.Write(t, "m/1/model.fake", "one")
			e.open = func(context.Context) (control.ModelSource, io.Closer, error) { return e.dir, io.NopCloser(nil), nil }
			prepare(t, e)
			e.dir.Look()
			took, err := e.live(t)
			if took > 3900*time.Millisecond { // less than twice the timeout
				t.Errorf("the end took %v, want the timeout of two seconds, and little more", took)
			}
			if loads := strings.Contains(name, "load"); loads != (err == nil) || err != nil && !strings.Contains(err.Error(), "exit timeout expired") {
				t.Errorf("it ended with %v; a load is given up, and all else is told", err)
			}
		})
	}
}

// live runs the process, ends it while it works, and returns how long the end took.
func (e *endless) live(t *testing.T) (took time.Duration, err error) {
	t.Helper()
	f := flags(socketPath(t))
	f.ExitTimeoutSecs, f.ParentPipe, f.ExitOnError = 2, false, true
	ctx, end := context.WithCancel(context.Background())
	defer end()
	ended := make(chan error, 1)
	go func() {
		ended <- f.Run(ctx, serve.Deps{
			OpenModels: func(ctx context.Context, _ serve.RepositoryOptions) (control.ModelSource, io.Closer, error) {
				return e.open(ctx)
			},
			Backends: func(serve.BackendSettings, *slog.Logger) []backend.Backend { return []backend.Backend{e.backend} },
			Stderr:   io.Discard,
		})
	}()
	if e.begin != nil {
		e.begin(t, f.PrivateSocket)
	}
	select {
	case <-e.begun:
	case err := <-ended:
		t.Fatalf("it ended before anything was asked of it: %v", err)
	}
	at := time.Now()
	end()
	select {
	case err = <-ended:
		return time.Since(at), err
	case <-time.After(20 * time.Second):
		t.Fatal("it does not end")
		return 0, nil
	}
}

// ask sends a request as soon as the process is ready, and ignores its answer.
func ask(t *testing.T, socket, model string) {
	t.Helper()
	connection, err := grpc.NewClient("unix://"+socket, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.WaitForReady(true)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	client := kservepb.NewGRPCInferenceServiceClient(connection)
	for ready := false; !ready; {
		answer, err := client.ModelReady(t.Context(), &kservepb.ModelReadyRequest{Name: model})
		if err != nil {
			t.Fatal(err)
		}
		ready = answer.Ready
	}
	go func() {
		_, _ = client.ModelInfer(context.Background(), &kservepb.ModelInferRequest{
			ModelName: model, RawInputContents: [][]byte{make([]byte, 8)},
			Inputs: []*kservepb.ModelInferRequest_InferInputTensor{{Name: "X", Datatype: "FP32", Shape: []int64{2}}},
		})
	}()
}
