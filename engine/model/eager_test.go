package model_test

import (
	"context"
	"errors"
	"slices"
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

// eagers is a backend whose instances take batches ahead. A batch takes a second.
type eagers struct {
	fake.Backend
	mu     sync.Mutex // guards what follows
	made   int
	refuse error    // of the next instance
	began  []string // requests
}

func newEagers() *eagers {
	e := &eagers{}
	e.Mortal, e.Ahead = true, 2
	e.OnInstance = func(backend.InstanceSpec) error {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.made++
		return e.refuse
	}
	e.OnExecute = func(ctx context.Context, _ backend.Spec, b *backend.Batch) {
		in, id := fake.Killable(ctx), b.Requests[0].ID
		e.mu.Lock()
		e.began = append(e.began, id)
		e.mu.Unlock()
		time.Sleep(time.Second)
		switch id {
		case "dies":
			in.Kill(errors.New("signal: killed"))
			b.Fail(0, errors.New("died at work"))
		case "panics":
			panic("on purpose")
		default:
			b.Respond(0, &infer.Response{Final: true})
		}
	}
	return e
}

func (e *eagers) refuseNext(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.refuse = err
}

func (e *eagers) order() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.began)
}

// offered is a request that was made.
type offered struct {
	timings infer.Timings
	err     chan error
}

// askInOrder makes requests one after the other, which are in the model at the same time.
func askInOrder(ctx context.Context, v *model.Version, ids ...string) map[string]*offered {
	all := map[string]*offered{}
	for _, id := range ids {
		a := &offered{err: make(chan error, 1)}
		all[id] = a
		go func() {
			a.err <- v.Infer(ctx, item(id), func(r *infer.Response) error {
				a.timings = r.Timings
				return nil
			})
		}()
		synctest.Wait()
	}
	return all
}

func withEagers(t *testing.T, config string, test func(t *testing.T, e *eagers, v *model.Version)) {
	src := folder(t, config, nil)
	synctest.Test(t, func(t *testing.T) {
		e := newEagers()
		v, err := load(e, src)
		if err != nil {
			t.Fatal(err)
		}
		test(t, e, v)
		if err := v.Close(); err != nil || e.Instances.Load() != 0 {
			t.Errorf("close: %v, %d instances are left", err, e.Instances.Load())
		}
	})
}

// A request that waits in the instance counts as waiting until the one before has ended, and its times are those of a request that
// waits in front of it.
func TestTimesOfRequestsAhead(t *testing.T) {
	withEagers(t, batched, func(t *testing.T, e *eagers, v *model.Version) {
		ids := []string{"a", "b", "c", "d", "e"}
		all := askInOrder(t.Context(), v, ids...)
		if n := v.Counters().Snapshot().Pending; n != 4 {
			t.Errorf("%d requests wait, want 4", n)
		}
		for i, id := range ids {
			if err := <-all[id].err; err != nil {
				t.Errorf("%s: %v", id, err)
			}
			got, waited := all[id].timings, time.Duration(i)*time.Second
			if got.Queue != waited || got.Infer != time.Second || got.Total != waited+time.Second || got.Input != 0 || got.Output != 0 {
				t.Errorf("%s: %+v", id, got)
			}
		}
		if !slices.Equal(e.order(), ids) {
			t.Errorf("they ran as %v", e.order())
		}
		s := v.Counters().Snapshot()
		if s.Pending != 0 || s.Success != 5 || s.Executions != 5 || s.Failed() != 0 {
			t.Errorf("counted: %+v", s)
		}
	})
}

// When the instance dies, only the request that it runs fails. Those that it has not begun run on the one that is made again.
func TestRequestsAheadOutliveTheInstance(t *testing.T) {
	withEagers(t, batched, func(t *testing.T, e *eagers, v *model.Version) {
		all := askInOrder(t.Context(), v, "dies", "b", "c")
		if err := <-all["dies"].err; err == nil || err.Error() != "died at work" {
			t.Errorf("the one in it: %v", err)
		}
		began := time.Now()
		for _, id := range []string{"b", "c"} {
			if err := <-all[id].err; err != nil {
				t.Errorf("%s: %v", id, err)
			}
		}
		if took := time.Since(began); took != 3*time.Second { // a second until it is made again
			t.Errorf("they took %v", took)
		}
		if q := all["b"].timings.Queue; q < 2*time.Second {
			t.Errorf("b waited %v", q)
		}
		if s := v.Counters().Snapshot(); e.made != 2 || s.Success != 2 || s.Pending != 0 || s.Failed() != 1 {
			t.Errorf("%d instances, %+v", e.made, s)
		}
	})
}

// When the instance does not start again, they fail with the reason.
func TestRequestsAheadOfAnInstanceThatDoesNotStart(t *testing.T) {
	withEagers(t, batched, func(t *testing.T, e *eagers, v *model.Version) {
		all := askInOrder(t.Context(), v, "dies", "b")
		e.refuseNext(errors.New("no such program"))
		<-all["dies"].err
		err := <-all["b"].err
		if infer.CodeOf(err) != infer.Unavailable || !strings.Contains(err.Error(), "does not start: no such program") {
			t.Errorf("b: %v", err)
		}
		if s := v.Counters().Snapshot(); s.Pending != 0 {
			t.Errorf("counted: %+v", s)
		}
	})
}

// A request whose client leaves while it waits in the instance ends at once, and is not run.
func TestRequestAheadWhoseClientLeaves(t *testing.T) {
	withEagers(t, batched, func(t *testing.T, e *eagers, v *model.Version) {
		first := askInOrder(t.Context(), v, "a")
		ctx, leave := context.WithCancel(t.Context())
		left := askInOrder(ctx, v, "b")
		last := askInOrder(t.Context(), v, "c")
		began := time.Now()
		leave()
		if err := <-left["b"].err; infer.CodeOf(err) != infer.Cancelled || time.Since(began) != 0 {
			t.Errorf("it ended after %v: %v", time.Since(began), err)
		}
		if err := errors.Join(<-first["a"].err, <-last["c"].err); err != nil || !slices.Equal(e.order(), []string{"a", "c"}) {
			t.Errorf("%v: %v", e.order(), err)
		}
		if s := v.Counters().Snapshot(); s.Success != 2 || s.Pending != 0 {
			t.Errorf("counted: %+v", s)
		}
	})
}

// The client of a request leaves while the instance is being made again.
func TestClientLeavesWhileTheInstanceIsMadeAgain(t *testing.T) {
	withEagers(t, batched, func(t *testing.T, e *eagers, v *model.Version) {
		first := askInOrder(t.Context(), v, "dies")
		ctx, leave := context.WithCancel(t.Context())
		left := askInOrder(ctx, v, "b")
		<-first["dies"].err
		leave()
		if err := <-left["b"].err; infer.CodeOf(err) != infer.Cancelled {
			t.Errorf("b: %v", err)
		}
	})
}

// An unload waits for the requests that the instance has taken.
func TestUnloadWithRequestsAhead(t *testing.T) {
	src := folder(t, batched, nil)
	synctest.Test(t, func(t *testing.T) {
		v, err := load(newEagers(), src)
		if err != nil {
			t.Fatal(err)
		}
		all := askInOrder(t.Context(), v, "a", "b", "c")
		if err := v.Close(); err != nil {
			t.Error(err)
		}
		for id, a := range all {
			if err := <-a.err; err != nil {
				t.Errorf("%s: %v", id, err)
			}
		}
	})
}

// A panic of the backend fails one request.
func TestPanicBeforeRequestsAhead(t *testing.T) {
	withEagers(t, batched, func(t *testing.T, _ *eagers, v *model.Version) {
		all := askInOrder(t.Context(), v, "panics", "b")
		if err := <-all["panics"].err; err == nil || !strings.Contains(err.Error(), "on purpose") {
			t.Errorf("the one that panics: %v", err)
		}
		if err := <-all["b"].err; err != nil {
			t.Errorf("b: %v", err)
		}
	})
}

// Two instances take one request each: what waits at one of them could run on the other.
func TestNoRequestIsAheadOfSeveralInstances(t *testing.T) {
	config := strings.Replace(batched, "count: 1", "count: 2", 1)
	withEagers(t, config, func(t *testing.T, e *eagers, v *model.Version) {
		all := askInOrder(t.Context(), v, "a", "b", "c", "d")
		time.Sleep(time.Second + time.Millisecond)
		if n := len(e.order()); n != 4 {
			t.Errorf("%d began, want 4: %v", n, e.order())
		}
		for id, a := range all {
			if err := <-a.err; err != nil {
				t.Errorf("%s: %v", id, err)
			}
		}
	})
}

// A request of a sequence does not run on an instance that knows nothing of the sequence.
func TestSequencesDoNotOutliveTheInstance(t *testing.T) {
	withEagers(t, batched+"sequence_batching {}", func(t *testing.T, e *eagers, v *model.Version) {
		sequence := func(id string, start bool) *infer.Request {
			r := item(id)
			r.Sequence = infer.Sequence{ID: 7, Start: start}
			return r
		}
		ended := make(chan error, 2)
		ask := func(r *infer.Request) {
			ended <- v.Infer(t.Context(), r, func(*infer.Response) error { return nil })
		}
		go ask(sequence("dies", true))
		synctest.Wait()
		go ask(sequence("goes on", false))
		for range 2 {
			if err := <-ended; err == nil {
				t.Error("a request was answered")
			}
		}
		time.Sleep(time.Minute)
		if got := e.order(); !slices.Equal(got, []string{"dies"}) {
			t.Errorf("these ran: %v", got)
		}
	})
}
