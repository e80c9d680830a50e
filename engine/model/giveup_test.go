package model_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"conch/engine/backend"
	"conch/engine/backend/fake"
	"conch/engine/infer"
	"conch/engine/model"
)

// hanging is a backend whose executions return when free is closed.
type hanging struct {
	fake.Backend
	free        chan struct{}
	interrupted chan struct{} // closed by Interrupt, which helps only where obedient is set
	obedient    bool
}

func newHanging() *hanging {
	h := &hanging{free: make(chan struct{}), interrupted: make(chan struct{})}
	h.OnExecute = func(_ context.Context, _ backend.Spec, b *backend.Batch) {
		helps := h.interrupted
		if !h.obedient {
			helps = nil
		}
		select {
		case <-h.free:
		case <-helps:
		}
		b.FailAll(infer.Errorf(infer.Internal, "stopped"))
	}
	return h
}

// Load makes a model whose instances can be interrupted.
func (h *hanging) Load(ctx context.Context, spec backend.Spec) (backend.Model, error) {
	m, err := h.Backend.Load(ctx, spec)
	return hangingModel{m, h}, err
}

type hangingModel struct {
	backend.Model
	h *hanging
}

func (m hangingModel) NewInstance(ctx context.Context, spec backend.InstanceSpec) (backend.Instance, error) {
	in, err := m.Model.NewInstance(ctx, spec)
	return hangingInstance{in, m.h}, err
}

type hangingInstance struct {
	backend.Instance
	h *hanging
}

func (in hangingInstance) Interrupt() { close(in.h.interrupted) }

// closeHanging runs requests and closes the version while they hang.
func closeHanging(t *testing.T, h *hanging, config string) (took time.Duration, others []error, err error) {
	t.Helper()
	v, err := load(h, folder(t, config, nil))
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex // guards others
	for range 3 {
		if !v.Enter() {
			t.Fatal("the version drains already")
		}
		go func() {
			defer v.Leave()
			err := v.Infer(t.Context(), item("a"), func(*infer.Response) error { return nil })
			mu.Lock()
			defer mu.Unlock()
			others = append(others, err)
		}()
	}
	synctest.Wait()
	began := time.Now()
	err = v.Close()
	took = time.Since(began)
	synctest.Wait()
	return took, others, err
}

// An execution that does not return does not keep an unload from its end: requests behind it are answered, and the model can be
// loaded again. The hanging execution frees its memory when it returns after all.
func TestUnloadOfAModelThatHangs(t *testing.T) {
	for name, config := range map[string]string{"direct": batched, "dynamic": batched + "dynamic_batching {}"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHanging()
				took, others, err := closeHanging(t, h, config)
				if err == nil || !strings.Contains(err.Error(), "1 of 1 instances of model 'm' version 1 did not return") {
					t.Errorf("close: %v", err)
				}
				if took > 70*time.Second {
					t.Errorf("the unload took %v", took)
				}
				for _, err := range others {
					if err == nil || err.Error() != "model instance m_0_0 does not answer and was given up" {
						t.Errorf("a request behind it: %v", err)
					}
				}
				if len(others) != 2 || h.Instances.Load() != 1 || h.Models.Load() != 1 {
					t.Errorf("%d answered, %d instances and %d models in use; want 2, 1, 1", len(others), h.Instances.Load(), h.Models.Load())
				}
				again, err := load(&fake.Backend{}, folder(t, config, nil))
				if err != nil {
					t.Fatal(err)
				}
				if err := again.Close(); err != nil {
					t.Error(err)
				}
				close(h.free)
				synctest.Wait()
				if h.Instances.Load() != 0 || h.Models.Load() != 0 {
					t.Errorf("%d instances and %d models are left", h.Instances.Load(), h.Models.Load())
				}
			})
		})
	}
}

// An execution that can be interrupted is not given up.
func TestUnloadInterrupts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHanging()
		h.obedient = true
		took, others, err := closeHanging(t, h, batched+"dynamic_batching {}")
		if err != nil || took != time.Minute || len(others) != 3 || h.Models.Load() != 0 {
			t.Errorf("close: %v after %v, %d answered, %d models left", err, took, len(others), h.Models.Load())
		}
	})
}

// An unload waits longer for a model that is known to be slow.
func TestUnloadWaitsForWhatIsKnownToTakeLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		takes := 30 * time.Second
		v, err := load(&fake.Backend{OnExecute: func(_ context.Context, _ backend.Spec, b *backend.Batch) {
			time.Sleep(takes)
			b.FailAll(infer.Errorf(infer.Internal, "done"))
		}}, folder(t, batched, nil))
		if err != nil {
			t.Fatal(err)
		}
		run(t, v)
		takes = 4 * time.Minute
		v.Enter()
		go func() {
			defer v.Leave()
			run(t, v)
		}()
		synctest.Wait()
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	})
}

func run(t *testing.T, v *model.Version) {
	if err := v.Infer(t.Context(), item("a"), func(*infer.Response) error { return nil }); err == nil || err.Error() != "done" {
		t.Errorf("error = %v", err)
	}
}
