package serve_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"conch/engine/backend"
	"conch/engine/backend/fake"
	"conch/engine/control"
	"conch/engine/control/controltest"
	"conch/engine/infer"
	"conch/engine/kserve/kservepb"
	"conch/engine/serve"
	"conch/engine/tensor"
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
	client := clientOf(t, socket, model)
	go func() { _, _ = client.ModelInfer(context.Background(), asks(model, 2, "X")) }()
}

// asks returns a request with so many zeros.
func asks(model string, zeros int, input string) *kservepb.ModelInferRequest {
	return &kservepb.ModelInferRequest{
		ModelName: model, RawInputContents: [][]byte{make([]byte, 4*zeros)},
		Inputs: []*kservepb.ModelInferRequest_InferInputTensor{{Name: input, Datatype: "FP32", Shape: []int64{int64(zeros)}}},
	}
}

// Answers of an open stream are sent at the end, also those that its client reads late.
func TestAnswersOfAStreamAreSentAtTheEnd(t *testing.T) {
	const requests = 20
	var ran sync.WaitGroup
	ran.Add(requests)
	b := &fake.Backend{OnExecute: func(_ context.Context, _ backend.Spec, batch *backend.Batch) {
		for i, r := range batch.Requests {
			out := r.Inputs[0]
			out.Name = "OUT"
			batch.Respond(i, &infer.Response{Outputs: []tensor.Tensor{out}, Final: true})
			ran.Done()
		}
	}}
	dir := controltest.New(t, 1)
	dir.Write(t, "m/config.pbtxt", strings.ReplaceAll(config, "[2]", "[-1]"))
	dir.Write(t, "m/1/model.fake", "one")
	dir.Look()
	f := flags(socketPath(t))
	f.ExitTimeoutSecs, f.ParentPipe = 60, false
	ctx, end := context.WithCancel(context.Background())
	defer end()
	ended := make(chan error, 1)
	go func() {
		ended <- f.Run(ctx, serve.Deps{
			OpenModels: func(context.Context, serve.RepositoryOptions) (control.ModelSource, io.Closer, error) {
				return dir, io.NopCloser(nil), nil
			},
			Backends: func(serve.BackendSettings, *slog.Logger) []backend.Backend { return []backend.Backend{b} },
			Stderr:   io.Discard,
		})
	}()
	stream, err := clientOf(t, f.PrivateSocket, "m").ModelStreamInfer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for range requests {
		if err := stream.Send(asks("m", 1<<18, "IN")); err != nil { // a megabyte: they do not fit into what lies between both
			t.Fatal(err)
		}
	}
	ran.Wait()
	end()
	time.Sleep(500 * time.Millisecond) // the server has looked several times whether a model is at work
	for i := range requests {
		if _, err := stream.Recv(); err != nil {
			t.Fatalf("after %d answers: %v", i, err)
		}
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func clientOf(t *testing.T, socket, model string) kservepb.GRPCInferenceServiceClient {
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
	return client
}
