package model

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"conch/engine/backend"
	"conch/engine/guarded"
	"conch/engine/infer"
	"conch/engine/lastwords"
	"conch/engine/period"
	"conch/engine/sched"
)

// The delay before a dead instance is made again. It doubles after each attempt that fails, up to longRest. After an
// instance has run for longLife, the delay is firstRest again.
const (
	firstRest = time.Second
	longRest  = time.Minute
	longLife  = time.Minute
)

// revival restarts an instance that may die (backend.Mortal).
type revival struct {
	in *instance
	// remake makes the backend's part again, and warm runs the model's warm-up on it.
	remake  func(ctx context.Context) (backend.Instance, error)
	warm    func(ctx context.Context) error
	changed func() // is called when the trouble changes
	died    func(why string)
	revived func() // is called when it runs again
	end     context.CancelFunc
	over    chan struct{} // closed when run has returned

	health guarded.Value[health]
	times  atomic.Int64 // that the instance was made again
}

// health is why an instance does not run, and which schedulers know it.
type health struct {
	schedulers []sched.Pauser
	trouble    error         // nil when the instance runs
	again      time.Time     // when it is made again; zero while that happens
	stuck      bool          // it was made again, and did not start
	retired    bool          // its version drains: it is not made again
	changed    chan struct{} // closed with the next change, where somebody waits for it; else nil
}

// watch begins to watch the instance. It does nothing for a nil revival.
func (r *revival) watch() {
	if r == nil {
		return
	}
	ctx, end := context.WithCancel(context.Background())
	r.end, r.over = end, make(chan struct{})
	go r.run(ctx)
}

// stop ends the watch.
func (r *revival) stop() {
	if r == nil || r.end == nil {
		return
	}
	r.end()
	<-r.over
}

// serve adds a scheduler that gives the instance requests.
func (r *revival) serve(s sched.Pauser) {
	h := r.health.Lock()
	defer r.health.Unlock()
	h.schedulers = append(h.schedulers, s)
	if h.trouble != nil {
		s.Pause(r.in, h.trouble)
	}
}

// leave removes a scheduler that has ended.
func (r *revival) leave(s sched.Pauser) {
	h := r.health.Lock()
	defer r.health.Unlock()
	h.schedulers = slices.DeleteFunc(h.schedulers, func(other sched.Pauser) bool { return other == s })
}

// retire lets the instance stay dead when it dies, because its version drains. What waits for it waits no longer.
func (r *revival) retire() {
	if r == nil {
		return
	}
	h := r.health.Lock()
	defer r.health.Unlock()
	h.retired = true
	h.tellWaiting()
}

func (r *revival) isRetired() bool {
	h := r.health.Lock()
	defer r.health.Unlock()
	return h.retired
}

// why returns why the instance does not run; nil when it runs.
func (r *revival) why() error {
	if r == nil {
		return nil
	}
	h := r.health.Lock()
	defer r.health.Unlock()
	return h.trouble
}

// begins returns when the instance is made again; zero while that happens.
func (r *revival) begins() time.Time {
	h := r.health.Lock()
	defer r.health.Unlock()
	return h.again
}

// again returns how often the instance was made again.
func (r *revival) again() int64 {
	if r == nil {
		return 0
	}
	return r.times.Load()
}

func (r *revival) run(ctx context.Context) {
	defer close(r.over)
	rest := firstRest
	for {
		mortal, born := r.in.part().(backend.Mortal), time.Now()
		select {
		case <-mortal.Died():
		case <-ctx.Done():
			return
		}
		if time.Since(born) >= longLife {
			rest = firstRest
		}
		r.bury(mortal.Err(), rest)
		for {
			if !sleep(ctx, rest) {
				return
			}
			if r.isRetired() {
				<-ctx.Done()
				return
			}
			rest = min(2*rest, longRest)
			r.begin()
			err := r.revive(ctx)
			if err == nil {
				break
			}
			r.in.log.Warn("a model instance that died does not start", "instance", r.in.name, "error", lastwords.Without(err.Error()), "again_in", rest)
			r.tell(fmt.Errorf("model instance %s died and does not start: %w. Conch tries again after %s", r.in.name, err, period.Text(rest)), true, rest)
		}
		r.times.Add(1)
		r.in.log.Info("a model instance that died runs again", "instance", r.in.name)
		r.resume()
		r.revived()
	}
}

// sleep waits. It returns false when ctx has ended.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// bury fails the open requests of a dead instance and frees it.
func (r *revival) bury(cause error, rest time.Duration) {
	in := r.in
	next, retired := fmt.Sprintf("Conch starts it again after %s", period.Text(rest)), r.isRetired()
	if retired {
		next = "Its model is being unloaded"
	}
	in.log.Error("a model instance died", "instance", in.name, "error", lastwords.Without(cause.Error()), "next", next)
	trouble := fmt.Errorf("model instance %s died: %w. %s", in.name, cause, next)
	r.tell(trouble, false, rest)
	if !retired {
		r.died(trouble.Error())
	}
	in.open.fail(infer.Errorf(infer.Internal, "model instance %s died: %v", in.name, cause))
	in.work.Lock() // the execution returns by itself
	defer in.work.Unlock()
	in.open.fail(infer.Errorf(infer.Internal, "model instance %s died: %v", in.name, cause)) // the requests that the execution left open
	died, gone := in.part(), backend.Instance(dead{in.name})
	in.shown.Store(&gone)
	if err := died.Close(); err != nil {
		in.log.Warn("freeing a model instance that died", "instance", in.name, "error", err)
	}
}

// tell reports the trouble, and lets other instances do the work. stuck says that the instance was made again, and did not start;
// rest is the delay before it is made again.
func (r *revival) tell(trouble error, stuck bool, rest time.Duration) {
	r.set(infer.Errorf(infer.Unavailable, "%v", trouble), stuck, time.Now().Add(rest))
	r.changed()
}

// begin tells that the instance is made again now.
func (r *revival) begin() {
	h := r.health.Lock()
	h.again = time.Time{}
	r.health.Unlock()
	r.changed()
}

// revive makes the instance again.
func (r *revival) revive(ctx context.Context) error {
	b, err := r.remake(ctx)
	if err != nil {
		return err
	}
	r.in.use(b)
	err = r.warm(ctx)
	if mortal, ok := b.(backend.Mortal); ok && err == nil {
		return nil
	} else if !ok {
		err = errors.New("the backend made an instance of another kind")
	} else if cause := mortal.Err(); cause != nil {
		err = cause
	}
	r.in.use(dead{r.in.name})
	return errors.Join(err, b.Close())
}

// resume lets the instance work again.
func (r *revival) resume() {
	r.set(nil, false, time.Time{})
	r.changed()
}

// set pauses or resumes the instance in all schedulers.
func (r *revival) set(trouble error, stuck bool, again time.Time) {
	h := r.health.Lock()
	defer r.health.Unlock()
	h.trouble, h.stuck, h.again = trouble, stuck, again
	h.tellWaiting()
	for _, s := range h.schedulers {
		if trouble != nil {
			s.Pause(r.in, trouble)
		} else {
			s.Resume(r.in)
		}
	}
}

// tellWaiting wakes those who wait for a change.
func (h *health) tellWaiting() {
	if h.changed != nil {
		close(h.changed)
		h.changed = nil
	}
}

// dead replaces the backend's part of an instance that has died.
type dead struct{ name string }

func (d dead) Execute(_ context.Context, batch *backend.Batch) {
	batch.FailAll(infer.Errorf(infer.Internal, "model instance %s has died", d.name))
}

func (d dead) Close() error { return nil }
