package sched_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"conch/engine/infer"
	"conch/engine/sched"
	"conch/engine/tensor"
)

// room is memory for answers that wait, of all requests together.
type room struct {
	limit int64
	used  atomic.Int64
	most  atomic.Int64
}

func (r *room) open() sched.Account { return &roomAccount{room: r} }

type roomAccount struct {
	room *room
	held int64
}

func (a *roomAccount) Grow(bytes int64) error {
	now := a.room.used.Add(bytes)
	if now > a.room.limit {
		a.room.used.Add(-bytes)
		return infer.Errorf(infer.Unavailable, "no room")
	}
	a.held += bytes
	a.room.most.Store(max(a.room.most.Load(), now))
	return nil
}

func (a *roomAccount) Give(bytes int64) {
	a.held -= bytes
	a.room.used.Add(-bytes)
	if a.held < 0 {
		panic("more given back than was taken")
	}
}

// chatter answers with large responses, as many as the request's ID says, by itself or by a Reply. It counts those that are not freed.
type chatter struct {
	room  []byte // where all outputs are made; nil for memory of their own
	later bool
	hang  chan struct{} // without a last response it returns when this is closed; nil for at once
	held  atomic.Int64
	err   atomic.Pointer[error] // of the last Send that failed
}

func (c *chatter) Execute(_ context.Context, calls []*sched.Call) {
	for _, call := range calls {
		send := func(r *infer.Response) error {
			call.Respond(r)
			return nil
		}
		if c.later {
			send = call.Later().Send
		}
		for responses := int(call.Request.ID[0] - '0'); responses > 0; responses-- {
			c.held.Add(1)
			data := c.room
			if data == nil {
				data = make([]byte, 1000)
			}
			err := send(&infer.Response{
				ID: call.Request.ID, Outputs: []tensor.Tensor{{Name: "OUT", Data: data}},
				Final: responses == 1 && c.hang == nil, Release: func() { c.held.Add(-1) },
			})
			if err != nil {
				c.err.Store(&err)
			}
		}
	}
	if c.hang != nil {
		<-c.hang
	}
}

// The answers that wait for those of earlier requests take no more memory than they may. A request with too many fails, in its
// turn, and the others go on.
func TestPreserveOrderingIsBounded(t *testing.T) {
	for _, later := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			slow, quick, r := &worker{takes: time.Second}, &chatter{later: later}, &room{limit: 6000}
			d := sched.NewDynamic([]sched.Executor{quick, slow}, sched.Batching{MaxBatch: 1, Ordered: true, Account: r.open}, &gauge{})
			var mu sync.Mutex // guards got and errs
			var got []string
			errs := map[string]error{}
			var all sync.WaitGroup
			for _, id := range []string{"slow", "9 many", "3 few"} {
				all.Go(func() {
					err := d.Infer(t.Context(), request(id, 1), func(resp *infer.Response) error {
						mu.Lock()
						defer mu.Unlock()
						got = append(got, resp.ID)
						return nil
					})
					mu.Lock()
					defer mu.Unlock()
					errs[id] = err
				})
				synctest.Wait()
			}
			if r.used.Load() < 3000 || r.used.Load() > 5000 || quick.held.Load() != 3 {
				t.Errorf("%d bytes are taken, %d answers are kept", r.used.Load(), quick.held.Load())
			}
			if later && quick.err.Load() == nil {
				t.Error("the model is not told")
			}
			all.Wait()
			const want = "the answers wait for those of earlier requests (preserve_ordering) and take too much memory: no room"
			if fmt.Sprint(got) != "[slow 3 few 3 few 3 few]" || errs["slow"] != nil || errs["3 few"] != nil || errs["9 many"] == nil || errs["9 many"].Error() != want {
				t.Errorf("responses %v, errors %v", got, errs)
			}
			if fate := infer.FateOf(errs["9 many"]); fate != infer.Undelivered {
				t.Errorf("the model has answered, and the fate is %v", fate)
			}
			if r.used.Load() != 0 || r.most.Load() < 4000 || quick.held.Load() != 0 {
				t.Errorf("at the end %d bytes are taken, of %d at most, and %d answers are kept", r.used.Load(), r.most.Load(), quick.held.Load())
			}
		})
	}
}

// An output that was made in the memory of its client is not counted as the server's, whether its answer is the last or not.
func TestOutputsInRoomsAreNotCounted(t *testing.T) {
	for _, later := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			slow, quick, r := &worker{takes: time.Second}, &chatter{later: later, room: make([]byte, 5000)}, &room{limit: 6000}
			d := sched.NewDynamic([]sched.Executor{quick, slow}, sched.Batching{MaxBatch: 1, Ordered: true, Account: r.open}, &gauge{})
			a := newAnswers()
			var all sync.WaitGroup
			for _, id := range []string{"slow", "3 in its room", "1 too"} {
				asked := request(id, 1)
				asked.Rooms = map[string][]byte{"OUT": quick.room}
				all.Go(func() { a.infer(t.Context(), d, asked) })
				synctest.Wait()
			}
			if n := r.used.Load(); n < 4*256 || n > 4000 || quick.held.Load() != 4 {
				t.Errorf("%d bytes are taken, %d answers are kept", n, quick.held.Load())
			}
			all.Wait()
			if a.err("3 in its room") != nil || a.err("1 too") != nil || r.used.Load() != 0 {
				t.Errorf("ended with %v; at the end %d bytes are taken", a.errs, r.used.Load())
			}
		})
	}
}

// The last answers of many requests are counted as well. Those that there is no memory for fail.
func TestLastAnswersThatWaitAreBounded(t *testing.T) {
	for _, later := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			slow, quick, r := &worker{takes: time.Second}, &chatter{later: later}, &room{limit: 6000}
			d := sched.NewDynamic([]sched.Executor{quick, slow}, sched.Batching{MaxBatch: 1, Ordered: true, Account: r.open}, &gauge{})
			a := newAnswers()
			var all sync.WaitGroup
			all.Go(func() { a.infer(t.Context(), d, request("slow", 1)) })
			synctest.Wait()
			var want []string
			for i := range 9 {
				id := fmt.Sprint("1 ", i)
				all.Go(func() { a.infer(t.Context(), d, request(id, 1)) })
				synctest.Wait()
				want = append(want, id)
			}
			if n := quick.held.Load(); n < 3 || n > 5 || r.used.Load() < n*1000 || r.used.Load() > n*2000 {
				t.Errorf("%d answers are kept, %d bytes are taken", n, r.used.Load())
			}
			all.Wait()
			slices.Sort(a.order) // they are given in order, and their callers wake in any order
			if fmt.Sprint(a.order) != fmt.Sprint(append(want, "slow")) || a.err("1 0") != nil || a.err("1 8") == nil || quick.held.Load() != 0 || r.used.Load() != 0 {
				t.Errorf("ended as %v with %v; at the end %d answers are kept, %d bytes are taken", a.order, a.errs, quick.held.Load(), r.used.Load())
			}
		})
	}
}

// Answers that wait are given back when their client leaves, and when their instance is given up.
func TestWaitingAnswersAreGivenBack(t *testing.T) {
	for _, later := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			slow, quick, r := &worker{takes: time.Second}, &chatter{later: later}, &room{limit: 100_000}
			d := sched.NewDynamic([]sched.Executor{quick, slow}, sched.Batching{MaxBatch: 2, MaxDelay: time.Minute, Ordered: true, Account: r.open}, &gauge{})
			kept := func(when string, answers int64) {
				t.Helper()
				if n := quick.held.Load(); n != answers || r.used.Load() < answers*1000 || r.used.Load() > answers*2000 {
					t.Errorf("%s: %d answers are kept, %d bytes are taken; want %d answers", when, n, r.used.Load(), answers)
				}
			}
			send := func(ctx context.Context, id string, items int64) {
				go newAnswers().infer(ctx, d, request(id, items))
				synctest.Wait()
			}
			send(t.Context(), "slow", 2)
			ctx, cancel := context.WithCancel(t.Context())
			quick.hang = make(chan struct{})
			close(quick.hang)
			send(ctx, "3 leaves", 2)
			kept("a client waits", 3)
			cancel()
			synctest.Wait()
			kept("it has left", 0)

			quick.hang = make(chan struct{})
			send(t.Context(), "2 in the batch", 1)
			send(t.Context(), "3 runs it", 1)
			kept("a batch hangs", 5)
			d.GiveUp(quick, infer.Errorf(infer.Unavailable, "given up"))
			synctest.Wait()
			kept("it was given up", 3) // until the execution returns
			close(quick.hang)
			synctest.Wait()
			kept("it has returned", 0)
			time.Sleep(2 * time.Second)
		})
	}
}
