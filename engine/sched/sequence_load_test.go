package sched_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"conch/engine/infer"
	"conch/engine/sched"
)

// Clients leave at any moment, some sequences never end, and some are iterative. No client waits for ever, nothing
// stays queued, and every slot is free in the end.
func TestSequencesOfClientsThatLeave(t *testing.T) {
	for name, change := range map[string]func(*sched.Sequencing){
		"direct": func(r *sched.Sequencing) { r.Oldest = nil },
		"oldest": func(r *sched.Sequencing) {
			r.Oldest = &sched.Batching{MaxBatch: 3, MaxDelay: 50 * time.Microsecond, Ordered: true}
		},
		"iterative": func(r *sched.Sequencing) {
			r.Iterative, r.Oldest = true, &sched.Batching{MaxBatch: 3, MaxDelay: 50 * time.Microsecond}
		},
	} {
		t.Run(name, func(t *testing.T) {
			rules, g := sequencing(2, nil), &gauge{}
			rules.Idle = 20 * ms
			change(&rules)
			var instances []sched.Executor
			for range 2 {
				instances = append(instances, &restless{})
			}
			s := sched.NewSequence(instances, rules, &chained{}, g)
			var all sync.WaitGroup
			for client := range 24 {
				all.Go(func() {
					for n := range 20 {
						ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rand.IntN(3000))*time.Microsecond)
						r := request(fmt.Sprint(client, "-", n), 1)
						if !rules.Iterative {
							r.Sequence = infer.Sequence{ID: uint64(client/2 + 1), Start: rand.IntN(2) == 0, End: rand.IntN(3) == 0}
						}
						_ = s.Infer(ctx, r, func(*infer.Response) error { return nil }) // only its end counts, not its result
						cancel()
					}
				})
			}
			all.Wait()
			if n := g.now.Load(); n != 0 {
				t.Errorf("%d are still queued", n)
			}
			for slot := range 4 { // the clients' slots are free after the idle time at the latest
				r := request("last", 1)
				r.Sequence = infer.Sequence{ID: uint64(100 + slot), Start: true}
				if err := s.Infer(t.Context(), r, func(*infer.Response) error { return nil }); err != nil {
					t.Error(err)
				}
			}
			s.Stop()
		})
	}
}

// restless is an instance that asks for another run half of the time, where sequences are
// iterative.
type restless struct{}

func (*restless) Execute(_ context.Context, calls []*sched.Call) {
	for _, c := range calls {
		if c.Request.ID != "last" && c.Request.Sequence.ID < 100 && rand.IntN(2) == 0 {
			c.Reschedule(&infer.Response{ID: "state"})
		}
		c.Respond(&infer.Response{ID: c.Request.ID, Final: true})
	}
}
