package model

import (
	"cmp"
	"context"
	"errors"
	"time"

	"conch/engine/backend"
	"conch/engine/infer"
	"conch/engine/sched"
)

// executeEagerly gives the calls to an instance that takes batches before it has finished the one that runs. A batch that the instance
// has not begun when it dies runs on the one that is made again, unless that does not know the batch's sequences.
func (in *instance) executeEagerly(ctx context.Context, calls []*sched.Call) {
	in.taken.Add(1)
	defer in.taken.Add(-1)
	for {
		lives := in.revival.again()
		if in.offer(ctx, calls) {
			return
		}
		err := sched.Gone(ctx)
		if ctx.Err() == nil {
			err = in.revival.await(ctx, lives)
		}
		if in.sequences && err == nil {
			err = infer.Errorf(infer.Internal, "model instance %s died, and has lost the state of its sequences", in.name)
		}
		if err != nil {
			failAll(calls, err)
			return
		}
	}
}

func failAll(calls []*sched.Call, err error) {
	for _, c := range calls {
		c.Fail(err)
	}
}

// warmUp runs the calls of a warm-up. It does not wait for an instance that has died: who makes that again waits for the warm-up.
func (in *instance) warmUp(ctx context.Context, calls []*sched.Call) {
	switch {
	case in.ahead == 0:
		in.Execute(ctx, calls)
	case in.offer(ctx, calls):
	case ctx.Err() != nil:
		failAll(calls, sched.Gone(ctx))
	default:
		cause := errors.New("it has begun nothing")
		if mortal, ok := in.part().(backend.Mortal); ok {
			cause = cmp.Or(mortal.Err(), cause)
		}
		failAll(calls, infer.Errorf(infer.Internal, "model instance %s died: %v", in.name, cause))
	}
}

// offer runs the calls as one batch. It returns false when the instance has died or ctx has ended before it began them.
func (in *instance) offer(ctx context.Context, calls []*sched.Call) (begun bool) {
	in.work.RLock()
	defer in.work.RUnlock()
	if _, gone := in.part().(dead); gone {
		return false
	}
	e := in.execution()
	defer in.spare.Put(e)
	e.batch.Reset(e.take(calls))
	return e.run(ctx)
}

// await waits until an instance that has died is made again; lives is how often it was made again before. It returns why it is not.
func (r *revival) await(ctx context.Context, lives int64) error {
	late := time.NewTimer(patience)
	defer late.Stop()
	for {
		changed, err := r.next(lives)
		if changed == nil {
			return err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return sched.Gone(ctx)
		case <-late.C:
			return infer.Errorf(infer.Unavailable, "model instance %s died, and is not made again", r.in.name)
		}
	}
}

// next returns what is closed with the next change of an instance that has died; nil when it was made again, or with the error that it
// does not start, or is not made again.
func (r *revival) next(lives int64) (changed <-chan struct{}, err error) {
	h := r.health.Lock()
	defer r.health.Unlock()
	switch {
	case h.stuck:
		return nil, h.trouble
	case h.trouble == nil && r.again() > lives:
		return nil, nil
	case h.retired:
		return nil, infer.Errorf(infer.Unavailable, "model instance %s died, and its model is being unloaded", r.in.name)
	}
	if h.changed == nil {
		h.changed = make(chan struct{})
	}
	return h.changed, nil
}
