package ort

// #include "shim.h"
import "C"

import "context"

// runUntil is Run with an end to it.
func (r *Runner) runUntil(ctx context.Context) error {
	number := r.begin()
	stop := context.AfterFunc(ctx, func() { r.terminate(number) })
	C.conch_run_do(r.session.library.c, r.session.native, r.c)
	stop()
	err := take(&r.c.error)
	if r.end() && err != nil {
		return context.Cause(ctx)
	}
	return err
}

func (r *Runner) begin() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.number++
	return r.number
}

// end makes the runner fit for the next run and tells whether this one was terminated.
func (r *Runner) end() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.number++
	was := r.terminated
	if was {
		C.conch_run_rearm(r.session.library.c, r.c)
		r.terminated = false
	}
	return was
}

func (r *Runner) terminate(number uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.number == number {
		C.conch_run_terminate(r.session.library.c, r.c)
		r.terminated = true
	}
}

// Interrupt ends the run that is under way, between two of its nodes, whatever its context says. It may be called from any
// goroutine, and nothing but Close may follow: a run that begins later ends at once.
func (r *Runner) Interrupt() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.c != nil {
		C.conch_run_terminate(r.session.library.c, r.c)
	}
}
