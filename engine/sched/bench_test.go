package sched_test

import (
	"context"
	"strconv"
	"sync"
	"testing"

	"conch/engine/infer"
	"conch/engine/sched"
)

// nothing is an instance that takes no time.
type nothing struct{ response infer.Response }

func (n *nothing) Execute(_ context.Context, calls []*sched.Call) {
	for _, c := range calls {
		n.response.Final = true
		c.Respond(&n.response)
	}
}

func ignore(*infer.Response) error { return nil }

// BenchmarkAlone measures what a scheduler costs a request that comes alone.
func BenchmarkAlone(b *testing.B) {
	for name, h := range map[string]infer.Handler{
		"direct":  sched.NewDirect([]sched.Executor{&nothing{}}, &gauge{}),
		"dynamic": sched.NewDynamic([]sched.Executor{&nothing{}}, sched.Batching{MaxBatch: 32}, &gauge{}),
	} {
		b.Run(name, func(b *testing.B) {
			r := request("a", 1)
			b.ReportAllocs()
			for b.Loop() {
				if err := h.Infer(context.Background(), r, ignore); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkCrowd measures what the dynamic batcher costs each of 32 clients. The instance takes no
// time.
func BenchmarkCrowd(b *testing.B) {
	for name, rules := range map[string]sched.Batching{
		"16":              {MaxBatch: 16},
		"32 within delay": {MaxBatch: 32, MaxDelay: delay},
	} {
		b.Run(name, func(b *testing.B) {
			d := sched.NewDynamic([]sched.Executor{&nothing{}}, rules, &gauge{})
			const clients = 32
			b.ReportAllocs()
			b.SetParallelism(clients / 2)
			b.RunParallel(func(pb *testing.PB) {
				r := request("a", 1)
				for pb.Next() {
					if err := d.Infer(context.Background(), r, ignore); err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
}

// BenchmarkLongQueue measures what it costs to queue a request behind many others and to run it.
func BenchmarkLongQueue(b *testing.B) {
	for _, length := range []int{100, 100_000} {
		b.Run(strconv.Itoa(length), func(b *testing.B) {
			hold := make(chan struct{})
			d := sched.NewDynamic([]sched.Executor{held(hold)}, sched.Batching{MaxBatch: 8}, &gauge{})
			var all sync.WaitGroup
			send := func() {
				all.Go(func() {
					if err := d.Infer(context.Background(), request("a", 1), ignore); err != nil {
						b.Error(err)
					}
				})
			}
			for range length {
				send()
			}
			for b.Loop() {
				for range 8 {
					send()
				}
				hold <- struct{}{}
			}
			close(hold)
			all.Wait()
		})
	}
}

// held is an instance that runs a batch for each token.
type held chan struct{}

func (h held) Execute(_ context.Context, calls []*sched.Call) {
	<-h
	for _, c := range calls {
		c.Respond(&infer.Response{Final: true})
	}
}
