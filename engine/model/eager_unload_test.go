package model_test

import (
	"context"
	"errors"
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

// killable is an instance that takes batches ahead.
type killable interface {
	backend.Instance
	backend.Eager
	backend.Mortal
	Kill(why error)
}

// stuckEagers is a backend whose instances take batches ahead, and whose executions end when their instance dies, or when free is closed.
type stuckEagers struct {
	fake.Backend
	free  chan struct{}
	let   func()                        // closes free
	deaf  bool                          // Interrupt does nothing
	makes func(number int, in killable) // is called with each new instance; nil for nothing

	mu    sync.Mutex // guards what follows
	made  int
	began int
}

func newStuckEagers() *stuckEagers {
	s := &stuckEagers{free: make(chan struct{})}
	s.let = sync.OnceFunc(func() { close(s.free) })
	s.Mortal, s.Ahead = true, 2
	s.OnExecute = func(ctx context.Context, _ backend.Spec, b *backend.Batch) {
		s.mu.Lock()
		s.began++
		s.mu.Unlock()
		select {
		case <-s.free:
			b.Respond(0, &infer.Response{Final: true})
		case <-fake.Killable(ctx).Died():
			b.Fail(0, errors.New("died at work"))
		}
	}
	return s
}

// Load makes a model whose instances can be interrupted.
func (s *stuckEagers) Load(ctx context.Context, spec backend.Spec) (backend.Model, error) {
	m, err := s.Backend.Load(ctx, spec)
	return stuckModel{m, s}, err
}

type stuckModel struct {
	backend.Model
	s *stuckEagers
}

func (m stuckModel) NewInstance(ctx context.Context, spec backend.InstanceSpec) (backend.Instance, error) {
	in, err := m.Model.NewInstance(ctx, spec)
	if err != nil {
		return nil, err
	}
	m.s.mu.Lock()
	m.s.made++
	number := m.s.made
	m.s.mu.Unlock()
	if m.s.makes != nil {
		m.s.makes(number, in.(killable))
	}
	return stuckInstance{in.(killable), m.s}, nil
}

type stuckInstance struct {
	killable
	s *stuckEagers
}

func (in stuckInstance) Interrupt() {
	if !in.s.deaf {
		in.Kill(errors.New("interrupted"))
	}
}

// enterInOrder makes requests that a version which is closed waits for.
func enterInOrder(t *testing.T, v *model.Version, ids ...string) map[string]chan error {
	t.Helper()
	all := map[string]chan error{}
	for _, id := range ids {
		if !v.Enter() {
			t.Fatal("the version drains already")
		}
		ended := make(chan error, 1)
		all[id] = ended
		go func() {
			defer v.Leave()
			ended <- v.Infer(t.Context(), item(id), func(*infer.Response) error { return nil })
		}()
		synctest.Wait()
	}
	return all
}

const diedWhileUnloading = "model instance m_0_0 died, and its model is being unloaded"

// closeStuck closes a version with three requests in an instance that hangs.
func closeStuck(t *testing.T, s *stuckEagers) (took time.Duration, all map[string]chan error, err error) {
	t.Helper()
	v, err := load(s, folder(t, batched, nil))
	if err != nil {
		t.Fatal(err)
	}
	all = enterInOrder(t, v, "a", "b", "c")
	began := time.Now()
	closed := make(chan error, 1)
	go func() { closed <- v.Close() }()
	select {
	case err = <-closed:
	case <-time.After(time.Hour):
		t.Error("the unload does not end")
		s.let()
		err = <-closed
	}
	return time.Since(began), all, err
}

// An unload ends when an execution hangs that other requests are behind in the instance: what the instance had not begun when it died
// does not wait for another.
func TestUnloadWithRequestsBehindOneThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStuckEagers()
		took, all, err := closeStuck(t, s)
		if err != nil || took > 2*time.Minute || s.Instances.Load() != 0 || s.Models.Load() != 0 {
			t.Errorf("close: %v after %v; %d instances, %d models are left", err, took, s.Instances.Load(), s.Models.Load())
		}
		if err := <-all["a"]; err == nil || err.Error() != "died at work" {
			t.Errorf("a: %v", err)
		}
		for _, id := range []string{"b", "c"} {
			if err := <-all[id]; infer.CodeOf(err) != infer.Unavailable || err.Error() != diedWhileUnloading {
				t.Errorf("%s: %v", id, err)
			}
		}
		if s.began != 1 || s.made != 1 {
			t.Errorf("%d executions began, %d instances were made", s.began, s.made)
		}
	})
}

// All requests that are inside an instance which does not even end when it is interrupted are given up with it.
func TestUnloadGivesUpWhatIsBehindOneThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStuckEagers()
		s.deaf = true
		took, all, err := closeStuck(t, s)
		if err == nil || !strings.Contains(err.Error(), "1 of 1 instances of model 'm' version 1 did not return") || took > 2*time.Minute {
			t.Errorf("close: %v after %v", err, took)
		}
		s.let()
		for id, ended := range all {
			if err := <-ended; err != nil {
				t.Errorf("%s: %v", id, err)
			}
		}
		synctest.Wait()
		if s.Instances.Load() != 0 || s.Models.Load() != 0 {
			t.Errorf("%d instances, %d models are left", s.Instances.Load(), s.Models.Load())
		}
	})
}

// An unload does not wait until an instance that has died is made again.
func TestUnloadWhileRequestsWaitForAnInstance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStuckEagers()
		s.makes = func(number int, in killable) {
			if number == 1 {
				time.AfterFunc(time.Minute, func() { in.Kill(errors.New("signal: killed")) })
			}
		}
		v, err := load(s, folder(t, batched, nil))
		if err != nil {
			t.Fatal(err)
		}
		all := enterInOrder(t, v, "a", "b")
		<-all["a"]
		synctest.Wait()
		began := time.Now()
		if err := v.Close(); err != nil || time.Since(began) != 0 || s.made != 1 {
			t.Errorf("close: %v after %v; %d instances were made", err, time.Since(began), s.made)
		}
		if err := <-all["b"]; err == nil || err.Error() != diedWhileUnloading {
			t.Errorf("b: %v", err)
		}
	})
}

// Each execution that hangs is interrupted, also after another one.
func TestUnloadInterruptsEachExecution(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHanging()
		h.OnExecute = func(_ context.Context, _ backend.Spec, b *backend.Batch) {
			<-h.interrupted
			h.interrupted = make(chan struct{})
			b.FailAll(errors.New("stopped"))
		}
		took, others, err := closeHanging(t, h, batched)
		if err != nil || took != 3*time.Minute || len(others) != 3 {
			t.Errorf("close: %v after %v, %d answered", err, took, len(others))
		}
	})
}

const warm = batched + `model_warmup { name: "s" batch_size: 1 inputs { key: "IN" value { data_type: TYPE_FP32 dims: 2 zero_data: true } } }`

// A warm-up of an instance that has died fails the load at once.
func TestWarmUpOfAnInstanceThatHasDied(t *testing.T) {
	src := folder(t, warm, nil)
	synctest.Test(t, func(t *testing.T) {
		s := newStuckEagers()
		s.let()
		s.makes = func(_ int, in killable) { in.Kill(errors.New("signal: killed")) }
		began := time.Now()
		_, err := load(s, src)
		if err == nil || !strings.Contains(err.Error(), "model instance m_0_0 died: signal: killed") || time.Since(began) != 0 {
			t.Errorf("load: %v after %v", err, time.Since(began))
		}
	})
}

// An instance that is made again, and dies before its warm-up, is made once more.
func TestWarmUpOfAnInstanceThatDiesAgain(t *testing.T) {
	src := folder(t, warm, nil)
	synctest.Test(t, func(t *testing.T) {
		s := newStuckEagers()
		s.let()
		s.makes = func(number int, in killable) {
			switch number {
			case 1:
				time.AfterFunc(time.Second, func() { in.Kill(errors.New("signal: killed")) })
			case 2:
				in.Kill(errors.New("signal: killed"))
			}
		}
		v, err := load(s, src)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second + time.Second + 2*time.Second + time.Millisecond)
		if why, _ := v.Trouble(); why != "" || s.made != 3 {
			t.Errorf("%d instances were made; trouble %q", s.made, why)
		}
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	})
}
