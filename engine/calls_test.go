package engine_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"conch/engine"
	"conch/engine/backend"
	"conch/engine/backend/fake"
	"conch/engine/control"
	"conch/engine/control/controltest"
	"conch/engine/infer"
)

// calling runs an engine over models whose files name the models that they call.
func calling(t *testing.T, b *fake.Backend, extra string, files map[string]string) *engine.Engine {
	t.Helper()
	dir := controltest.New(t, 1)
	for name, text := range files {
		dir.Write(t, name+"/config.pbtxt", config+extra)
		dir.Write(t, name+"/1/model.fake", text)
	}
	dir.Look()
	return runs(t, engine.New(engine.Options{
		Options:  control.Options{Models: dir, Mode: control.Explicit, LoadModels: []string{"*"}},
		Backends: []backend.Backend{b},
	}))
}

// A model's call of another model has the rules of a client's request: it is checked, queued and
// counted.
func TestModelsCallEachOther(t *testing.T) {
	for _, scheduling := range []string{"", "dynamic_batching {}"} {
		e := calling(t, &fake.Backend{}, scheduling, map[string]string{"a": "calls b", "b": "calls c", "c": "end", "lost": "calls nobody"})
		outputs := 0
		if err := e.Infer(t.Context(), request("a", 1), func(r *infer.Response) error { outputs += len(r.Outputs); return nil }); err != nil || outputs != 1 {
			t.Fatalf("%d outputs, %v", outputs, err)
		}
		for _, name := range []string{"a", "b", "c"} {
			s, err := e.Statistics(name, infer.Latest)
			if err != nil || s[0].Success.Count != 1 || s[0].InferenceCount != 1 || s[0].ExecutionCount != 1 {
				t.Errorf("%s: %+v, %v", name, s, err)
			}
		}
		wantClients(t, e, map[string][2]uint64{"a": {1, 1}, "b": {1, 0}, "c": {1, 0}, "lost": {}})
		err := e.Infer(t.Context(), request("lost", 1), ignore)
		if infer.CodeOf(err) != infer.NotFound || !strings.Contains(err.Error(), "'nobody' is not found") {
			t.Errorf("a call of a model that is not there: %v", err)
		}
	}
}

// A circle of calls ends with an error: when all instances wait for a call, or, with many instances, when the calls
// are nested too deep.
func TestCircleOfCalls(t *testing.T) {
	for _, scheduling := range []string{"", "dynamic_batching {}"} {
		for count, want := range map[int]string{
			1:  "all its instances wait for this call (a calls b calls a). Give it more instances, or break the circle.",
			2:  "all its instances wait for this call (a calls b calls a calls b calls a).",
			40: "models call each other more than 32 deep, probably in a circle: a calls b calls a",
		} {
			e := calling(t, &fake.Backend{}, fmt.Sprintf("instance_group [{ count: %d kind: KIND_CPU }] %s", count, scheduling),
				map[string]string{"a": "calls b", "b": "calls a"})
			for range 2 { // the first run leaves nothing behind
				if err := e.Infer(t.Context(), request("a", 1), ignore); err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%d instances: %v", count, err)
				}
			}
		}
	}
}

// Two requests whose models call each other's: neither call alone is a circle. The second one that would wait for ever is
// refused, and the first one gets its answer.
func TestTwoRequestsWaitForEachOther(t *testing.T) {
	var models atomic.Pointer[infer.Handler]
	var both sync.WaitGroup // executions that clients have begun
	both.Add(2)
	b := &fake.Backend{OnCalls: func(m infer.Handler) { models.Store(&m) }}
	b.OnExecute = func(ctx context.Context, spec backend.Spec, batch *backend.Batch) {
		if batch.Requests[0].FromClient() {
			both.Done()
			both.Wait()
			other := map[string]string{"a": "b", "b": "a"}[spec.Name]
			if err := (*models.Load()).Infer(ctx, request(other, 1), ignore); err != nil {
				batch.FailAll(err)
				return
			}
		}
		batch.Respond(0, &infer.Response{Final: true})
	}
	e := calling(t, b, "", map[string]string{"a": "end", "b": "end"})
	errs := make(chan error)
	for _, name := range []string{"a", "b"} {
		go func() { errs <- e.Infer(t.Context(), request(name, 1), ignore) }()
	}
	failed, answered := <-errs, <-errs
	if failed == nil {
		failed, answered = answered, failed
	}
	if failed == nil || !strings.Contains(failed.Error(), "all its instances wait for this call") || answered != nil {
		t.Errorf("%v, %v", failed, answered)
	}
}

// A call is cancelled together with the request that made it.
func TestCallIsCancelledWithItsRequest(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	b, ended := &fake.Backend{}, make(chan error, 1)
	b.OnExecute = func(ctx context.Context, _ backend.Spec, batch *backend.Batch) {
		cancel()
		<-ctx.Done()
		ended <- ctx.Err()
		batch.FailAll(infer.Errorf(infer.Cancelled, "cancelled"))
	}
	e := calling(t, b, "", map[string]string{"a": "calls waits", "waits": "end"})
	if err := e.Infer(ctx, request("a", 1), ignore); infer.CodeOf(err) != infer.Cancelled || <-ended == nil {
		t.Errorf("error = %v", err)
	}
}

// A call must be made for a request while the request runs.
func TestCallOutsideOfAnExecution(t *testing.T) {
	b := &fake.Backend{}
	var err error
	b.OnCalls = func(models infer.Handler) { err = models.Infer(t.Context(), request("a", 1), ignore) }
	calling(t, b, "", map[string]string{"a": "end"})
	if err == nil || err.Error() != "BLS is only supported during the 'execute' function." {
		t.Errorf("error = %v", err)
	}
}

// What a model calls is a part of the request's trace, and so is what that calls.
func TestCallsAreTraced(t *testing.T) {
	e := calling(t, &fake.Backend{}, "", map[string]string{"a": "calls b", "b": "calls c", "c": "end"})
	r := request("a", 1)
	r.Trace = &infer.Trace{Tensors: true}
	if err := e.Infer(t.Context(), r, ignore); err != nil {
		t.Fatal(err)
	}
	for step, want := r.Trace, "abc"; want != ""; want = want[1:] {
		if step.Model != want[:1] || len(step.Executions) != 1 || len(step.Inputs) != 1 || step.Ended.IsZero() {
			t.Fatalf("the trace of %s: %+v", want[:1], step)
		}
		if len(want) == 1 {
			break
		}
		if len(step.Steps) != 1 {
			t.Fatalf("%s has %d calls", want[:1], len(step.Steps))
		}
		step = step.Steps[0]
	}
}

// A model may answer before its call has: the trace has the call so far, without an end.
func TestCallThatOutlivesItsRequestIsTraced(t *testing.T) {
	b, begun, release, returned := &fake.Backend{}, make(chan struct{}), make(chan struct{}), make(chan error, 1)
	var models atomic.Pointer[infer.Handler]
	b.OnCalls = func(m infer.Handler) { models.Store(&m) }
	b.OnExecute = func(ctx context.Context, spec backend.Spec, batch *backend.Batch) {
		if spec.Name == "a" {
			ctx = context.WithoutCancel(ctx)
			go func() { returned <- (*models.Load()).Infer(ctx, request("b", 1), ignore) }()
			<-begun
		} else {
			close(begun)
			<-release
		}
		batch.Respond(0, &infer.Response{Final: true})
	}
	e := calling(t, b, "", map[string]string{"a": "end", "b": "end"})
	r := request("a", 1)
	r.Trace = &infer.Trace{Tensors: true}
	if err := e.Infer(t.Context(), r, ignore); err != nil {
		t.Fatal(err)
	}
	close(release)
	if err := <-returned; err != nil {
		t.Error(err)
	}
	if len(r.Trace.Steps) != 1 {
		t.Fatalf("calls of the trace: %+v", r.Trace.Steps)
	}
	if call := r.Trace.Steps[0]; call.Model != "b" || call.Queued.IsZero() || !call.Running() || len(call.Responses) != 0 || len(call.Inputs) != 1 {
		t.Errorf("the call that runs: %+v", call)
	}
}

// A model may answer as soon as its call is answered: the call is a part of the trace also when it has not returned yet.
func TestAnsweredCallIsTraced(t *testing.T) {
	b, release, returned := &fake.Backend{}, make(chan struct{}), make(chan error, 1)
	var models atomic.Pointer[infer.Handler]
	b.OnCalls = func(m infer.Handler) { models.Store(&m) }
	b.OnExecute = func(ctx context.Context, spec backend.Spec, batch *backend.Batch) {
		if spec.Name == "a" {
			answered := make(chan struct{})
			go func() {
				returned <- (*models.Load()).Infer(ctx, request("b", 1), func(*infer.Response) error {
					close(answered)
					<-release
					return nil
				})
			}()
			<-answered
		}
		batch.Respond(0, &infer.Response{Final: true})
	}
	e := calling(t, b, "", map[string]string{"a": "end", "b": "end"})
	r := request("a", 1)
	r.Trace = &infer.Trace{}
	if err := e.Infer(t.Context(), r, ignore); err != nil {
		t.Fatal(err)
	}
	if len(r.Trace.Steps) != 1 || r.Trace.Steps[0].Model != "b" || len(r.Trace.Steps[0].Executions) != 1 {
		t.Errorf("calls of the trace: %+v", r.Trace.Steps)
	}
	close(release)
	if err := <-returned; err != nil {
		t.Error(err)
	}
}
