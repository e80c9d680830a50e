package engine_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"conch/engine"
	"conch/engine/backend"
	"conch/engine/backend/fake"
	"conch/engine/infer"
	"conch/engine/kserve"
	"conch/engine/model"
)

// called returns what the only version of a model has called.
func called(t *testing.T, e *engine.Engine, name string) ([]model.Called, uint64) {
	t.Helper()
	versions := e.Manager().Versions(name)
	if len(versions) != 1 {
		t.Fatalf("%d versions of %s", len(versions), name)
	}
	return versions[0].Called()
}

// What a model has called is known, with calls that failed, until it is loaded again or unloaded. The first call of a model
// is a change of the caller.
func TestCallsAreRemembered(t *testing.T) {
	e := calling(t, &fake.Backend{}, "", map[string]string{"a": "calls b", "b": "end", "lost": "calls nobody"})
	watch := e.Manager().Watch()
	defer watch.Close()
	for range 3 {
		if err := e.Infer(t.Context(), request("a", 1), ignore); err != nil {
			t.Fatal(err)
		}
		_ = e.Infer(t.Context(), request("lost", 1), ignore)
	}
	changes, err := watch.Next(t.Context())
	if err != nil || !slices.Contains(changes.Models, "a") {
		t.Errorf("changed: %v, %v", changes.Models, err)
	}
	list, other := called(t, e, "a")
	if len(list) != 1 || list[0].Model != "b" || list[0].Count != 3 || list[0].Failed != 0 || list[0].Last.IsZero() || other != 0 {
		t.Errorf("a has called %+v and %d others", list, other)
	}
	list, _ = called(t, e, "lost")
	if len(list) != 1 || list[0].Model != "nobody" || list[0].Count != 3 || list[0].Failed != 3 || !strings.Contains(list[0].Error, "'nobody' is not found") {
		t.Errorf("lost has called %+v", list)
	}
	if status, _ := e.Manager().Status("a"); !slices.Equal(status.Calls, []string{"b"}) {
		t.Errorf("the status of a has the calls %q", status.Calls)
	}
	if err := e.Load(t.Context(), "a", kserve.LoadOptions{Force: true}); err != nil {
		t.Fatal(err)
	}
	if list, _ = called(t, e, "a"); len(list) > 0 {
		t.Errorf("after a reload, a has called %+v", list)
	}
}

// A call that has not ended is known: the caller changes when it begins.
func TestCallsThatRunAreKnown(t *testing.T) {
	b, begun, release := &fake.Backend{}, make(chan struct{}), make(chan struct{})
	b.OnExecute = func(_ context.Context, _ backend.Spec, batch *backend.Batch) {
		close(begun)
		<-release
		batch.Respond(0, &infer.Response{Final: true})
	}
	e := calling(t, b, "", map[string]string{"a": "calls b", "b": "end"})
	watch := e.Manager().Watch()
	defer watch.Close()
	answered := make(chan error)
	go func() { answered <- e.Infer(t.Context(), request("a", 1), ignore) }()
	<-begun
	if changes, err := watch.Next(t.Context()); err != nil || !slices.Contains(changes.Models, "a") {
		t.Errorf("changed: %v, %v", changes.Models, err)
	}
	list, _ := called(t, e, "a")
	if len(list) != 1 || list[0].Model != "b" || list[0].Running != 1 || list[0].Count != 0 || !list[0].Last.IsZero() {
		t.Errorf("a calls %+v", list)
	}
	close(release)
	if err := <-answered; err != nil {
		t.Error(err)
	}
	if list, _ = called(t, e, "a"); len(list) != 1 || list[0].Running != 0 || list[0].Count != 1 {
		t.Errorf("a has called %+v", list)
	}
}

// A program can call any name, and as many as it likes: 64 are remembered.
func TestCallsThatAreRememberedAreLimited(t *testing.T) {
	var models atomic.Pointer[infer.Handler]
	b := &fake.Backend{OnCalls: func(m infer.Handler) { models.Store(&m) }}
	b.OnExecute = func(ctx context.Context, _ backend.Spec, batch *backend.Batch) {
		for n := range 100 {
			_ = (*models.Load()).Infer(ctx, request(fmt.Sprintf("none-%d", n), 1), ignore)
		}
		_ = (*models.Load()).Infer(ctx, request(strings.Repeat("n", 1000), 1), ignore)
		batch.Respond(0, &infer.Response{Final: true})
	}
	e := calling(t, b, "", map[string]string{"a": "end"})
	for range 2 {
		if err := e.Infer(t.Context(), request("a", 1), ignore); err != nil {
			t.Fatal(err)
		}
	}
	list, other := called(t, e, "a")
	if len(list) != 64 || list[0].Count != 2 || other != 2*37 {
		t.Errorf("%d models are remembered, the first %+v, and %d other calls", len(list), list[0], other)
	}
	for _, c := range list {
		if len(c.Error) > 2000 {
			t.Errorf("an error of %d bytes is kept", len(c.Error))
		}
	}
}
