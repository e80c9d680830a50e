package engine_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"conch/engine"
	"conch/engine/backend"
	"conch/engine/backend/fake"
	"conch/engine/control"
	"conch/engine/control/controltest"
	"conch/engine/infer"
	"conch/engine/tensor"
)

const waits = `backend: "fake" default_model_filename: "model.fake" instance_group [{ count: 1 kind: KIND_CPU }]
input [{ name: "IN" data_type: TYPE_UINT8 dims: [-1] }] output [{ name: "OUT" data_type: TYPE_UINT8 dims: [-1] }]
`

// A queue without a maximum size cannot use up the machine's memory. A request beyond the limit is refused as from a
// full queue. A request that alone exceeds the limit is too large. Without a limit, no request is refused.
func TestRequestMemory(t *testing.T) {
	for limit, want := range map[int64]int{2 << 20: 1, 3<<20 + 1<<17: 3, 1: 0, -1: 4, 0: 4} {
		synctest.Test(t, func(t *testing.T) {
			e := slowEngine(t, limit)
			var mu sync.Mutex // guards served
			served := 0
			var all sync.WaitGroup
			for range 4 {
				all.Go(func() {
					r := &infer.Request{ID: "q", Model: "m", Version: infer.Latest, Inputs: []tensor.Tensor{
						{Name: "IN", Type: tensor.Uint8, Shape: tensor.Shape{1 << 20}, Data: make([]byte, 1<<20)},
					}}
					err := e.Infer(t.Context(), r, func(*infer.Response) error { return nil })
					mu.Lock()
					defer mu.Unlock()
					switch {
					case err == nil:
						served++
					case limit == 1 && infer.CodeOf(err) == infer.InvalidArg && strings.HasPrefix(err.Error(), "[request id: q] Request that needs at least "):
					case infer.CodeOf(err) != infer.Unavailable || !strings.HasPrefix(err.Error(), "[request id: q] Exceeds maximum queue size: "):
						t.Error(err)
					}
				})
				synctest.Wait()
			}
			all.Wait()
			if served != want {
				t.Errorf("with a limit of %d, %d of 4 were served, want %d", limit, served, want)
			}
		})
	}
}

// slowEngine serves a model whose executions take a second.
func slowEngine(t *testing.T, limit int64) *engine.Engine {
	t.Helper()
	dir := controltest.New(t, 1)
	dir.Write(t, "m/config.pbtxt", waits)
	dir.Write(t, "m/1/model.fake", "fine")
	dir.Look()
	b := &fake.Backend{OnExecute: func(_ context.Context, _ backend.Spec, b *backend.Batch) {
		time.Sleep(time.Second)
		for i := range b.Requests {
			b.Respond(i, &infer.Response{Final: true})
		}
	}}
	e := engine.New(engine.Options{
		Options:  control.Options{Models: dir, Mode: control.Explicit, LoadModels: []string{"*"}},
		Backends: []backend.Backend{b}, RequestMemory: limit,
	})
	return runs(t, e)
}
