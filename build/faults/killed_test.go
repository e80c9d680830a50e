//go:build unix

package faults_test

import (
	"context"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"conch/app/enginehost"
	"conch/engine/backend/onnx/onnxtest"
)

// TestKilledEngineUnderLoad kills the workbench's engine with SIGKILL while clients ask it. It is back by itself with its
// models; the clients are told that it is unavailable for as long, and nothing else.
func TestKilledEngineUnderLoad(t *testing.T) {
	f := begin(t)
	repository := t.TempDir()
	write(t, repository, "m/1/model.onnx", adder(3))
	t.Setenv("CONCH_ONNXRUNTIME", onnxtest.Library(t))
	t.Setenv("CONCH_DATA_DIR", t.TempDir())
	host, err := enginehost.Start(enginehost.Options{
		Command: []string{program, "serve"}, Repositories: []string{repository},
	}, func(enginehost.Update) {})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := host.Close(); err != nil {
			t.Error(err)
		}
	}()
	k := &killing{fault: f, host: host}
	var longest time.Duration
	ctx, stop := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	for range 4 {
		clients.Go(func() { k.client(ctx, t) })
	}
	for range f.rounds(2) {
		k.until(t, "requests are answered")
		k.serve(t)
		pid := host.Status().PID
		begun := time.Now()
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		k.until(t, "requests are answered again")
		f.throw("kills", 1)
		longest = max(longest, time.Since(begun))
	}
	stop()
	clients.Wait()
	if n := int(host.Status().Restarts); n != f.thrown["kills"] {
		t.Errorf("%d restarts after %d kills", n, f.thrown["kills"])
	}
	f.throw("requests", int(k.answers.Load()))
	f.throw("requests that were told that the engine is away", int(k.away.Load()))
	f.note("from the kill to the next answers: %v at most", longest.Round(time.Millisecond))
}

type killing struct {
	*fault
	host          *enginehost.Host
	answers, away atomic.Int64
}

// ask sends one request to whatever engine there is.
func (k *killing) ask(ctx context.Context) (int32, error) {
	client, err := k.host.Client()
	if err != nil {
		return 0, status.Error(codes.Unavailable, err.Error())
	}
	s := &server{GRPCInferenceServiceClient: client}
	return s.add(ctx, "m", 5)
}

func (k *killing) client(ctx context.Context, t *testing.T) {
	for ctx.Err() == nil {
		n, err := k.ask(context.WithoutCancel(ctx))
		switch code := status.Code(err); {
		case err == nil && n == 3:
			k.answers.Add(1)
		case code == codes.Unavailable, code == codes.Canceled: // it is away, or loads, or its line is cut
			k.away.Add(1)
			<-time.After(time.Millisecond)
		default:
			k.lose("a request: %d, %v", n, err)
			return
		}
	}
}

// serve has the engine answer for longer than one that ends as soon as it is started.
func (k *killing) serve(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(4 * time.Second); time.Now().Before(end); {
		if n, err := k.ask(t.Context()); err != nil || n != 3 {
			t.Fatalf("a request to an engine that runs: %d, %v", n, err)
		}
	}
}

// until waits until the engine answers, by a process that was not killed.
func (k *killing) until(t *testing.T, what string) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for good := 0; good < 20; {
		if n, err := k.ask(t.Context()); err == nil && n == 3 && k.host.Status().State == enginehost.Ready {
			good++
			continue
		}
		good = 0
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain until %s", what)
		}
		<-time.After(time.Millisecond)
	}
}
