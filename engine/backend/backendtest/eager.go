package backendtest

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"conch/engine/backend"
	"conch/engine/infer"
	"conch/engine/tensor"
)

func aheadOf(in backend.Instance) int {
	if e, ok := in.(backend.Eager); ok {
		return e.Ahead()
	}
	return 0
}

// testEager: batches that an instance gets while another one runs come after it in their order, begin when the one before has ended,
// and have not begun when their client leaves or the instance dies.
func testEager(t *testing.T, s Subject) {
	plain := load(t, s, s.Identity(t, Shape{Type: tensor.FP32, Dims: []int64{4}, MaxBatch: 8}))
	if eager := aheadOf(plain.Instance) > 0; eager != (s.Waits != nil) {
		t.Fatalf("its instances are eager: %v, its Subject has Waits: %v", eager, s.Waits != nil)
	}
	if s.Waits == nil {
		t.Skip("this backend's instances run one batch at a time")
	}
	l := load(t, s, s.Waits(t))
	t.Run("order", func(t *testing.T) { testOrder(t, l.Instance) })
	t.Run("many", func(t *testing.T) { testManyAhead(t, l.Instance) })
	t.Run("client leaves", func(t *testing.T) { testLeaves(t, l.Instance, false) })
	t.Run("client leaves late", func(t *testing.T) { testLeaves(t, l.Instance, true) })
	t.Run("dies", func(t *testing.T) {
		victim := instance(t, l.Model, "victim")
		testDiesAhead(t, victim, func() { s.Kill(t, victim) })
	})
}

// offered is a batch that an instance was given.
type offered struct {
	answers     []answer
	began, over time.Time
	started     chan struct{} // closed when it begins
	returned    chan struct{} // closed when Execute has returned
}

// offer gives an instance a batch that takes a while.
func offer(ctx context.Context, t *testing.T, in backend.Instance, milliseconds ...uint32) *offered {
	t.Helper()
	o := &offered{started: make(chan struct{}), returned: make(chan struct{}), answers: make([]answer, len(milliseconds))}
	var requests []*infer.Request
	for _, n := range milliseconds {
		r := request("IN", tensor.Int32, tensor.Shape{1, 1}, 0)
		binary.LittleEndian.PutUint32(r.Inputs[0].Data, n)
		requests = append(requests, r)
	}
	batch := backend.NewBatch(requests, func(i int, r *infer.Response) {
		o.answers[i] = answer{outputs: copies(r.Outputs), times: o.answers[i].times + 1}
		if r.Release != nil {
			r.Release()
		}
	}, func(i int, err error) { o.answers[i] = answer{err: err, times: o.answers[i].times + 1} })
	batch.OnStart(func() {
		o.began = batch.Started()
		close(o.started)
	})
	batch.OnDone(func() { o.over = time.Now() })
	go func() {
		defer close(o.returned)
		in.Execute(ctx, batch)
		if input, run, output := batch.Stages(time.Now()); input < 0 || run < 0 || output < 0 {
			t.Errorf("stages run backwards: input %v, run %v, output %v", input, run, output)
		}
	}()
	return o
}

// entered gives what was offered the time to be in the instance. No test can see that: what is too late waits as well, and the test
// passes.
func entered() { time.Sleep(20 * time.Millisecond) }

func (o *offered) begun() bool { return !o.began.IsZero() }

func testOrder(t *testing.T, in backend.Instance) {
	all := []*offered{offer(t.Context(), t, in, 500)}
	<-all[0].started
	for range aheadOf(in) + 2 { // more than it takes
		all = append(all, offer(t.Context(), t, in, 1, 2))
		entered()
	}
	for i, o := range all {
		<-o.returned
		for k, a := range o.answers {
			if a.err != nil || a.times != 1 || len(a.outputs) != 1 {
				t.Errorf("request %d of batch %d: %d outputs, %v, %d times", k, i, len(a.outputs), a.err, a.times)
			}
		}
		if i > 0 && o.began.Before(all[i-1].over) {
			t.Errorf("batch %d began %v before the one before had ended", i, all[i-1].over.Sub(o.began))
		}
	}
}

// testLeaves: a client leaves while its batch waits for another one. late says that the instance has begun that one after it got both.
func testLeaves(t *testing.T, in backend.Instance, late bool) {
	plug := offer(t.Context(), t, in, 300)
	<-plug.started
	first := offer(t.Context(), t, in, 1000)
	entered()
	ctx, leave := context.WithCancel(t.Context())
	var left []*offered
	for range aheadOf(in) + 1 {
		left = append(left, offer(ctx, t, in, 5000))
		entered()
	}
	if late {
		<-first.started
	}
	leave()
	for i, o := range left {
		<-o.returned
		if o.begun() || slices.ContainsFunc(o.answers, func(a answer) bool { return a.times > 0 }) {
			t.Errorf("batch %d, whose client left, had begun: %v, answers %v", i, o.begun(), o.answers)
		}
	}
	select {
	case <-first.returned:
		t.Error("a batch whose client left waits for the one that runs")
	default:
	}
	began := time.Now()
	last := offer(t.Context(), t, in, 1)
	<-last.returned
	<-first.returned
	if took := time.Since(began); took > 3*time.Second || last.answers[0].err != nil {
		t.Errorf("the next batch took %v: %v", took, last.answers[0].err)
	}
}

func testDiesAhead(t *testing.T, in backend.Instance, kill func()) {
	first := offer(t.Context(), t, in, 60_000)
	<-first.started
	var ahead []*offered
	for range aheadOf(in) + 1 {
		ahead = append(ahead, offer(t.Context(), t, in, 1))
		entered()
	}
	kill()
	<-first.returned
	if first.answers[0].err == nil || first.answers[0].times != 1 {
		t.Errorf("the one that ran: %v, answered %d times", first.answers[0].err, first.answers[0].times)
	}
	for i, o := range ahead {
		<-o.returned
		if o.begun() || o.answers[0].times > 0 {
			t.Errorf("batch %d ahead had begun: %v, and was answered %d times", i, o.begun(), o.answers[0].times)
		}
	}
	if late := execute(t.Context(), t, in, request("IN", tensor.Int32, tensor.Shape{1, 1}, 0)); !errors.Is(late[0].err, errNotBegun) {
		t.Errorf("one that comes then: %v", late[0].err)
	}
}

// testManyAhead has many goroutines use one instance at the same time.
func testManyAhead(t *testing.T, in backend.Instance) {
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for range 50 {
				o := offer(t.Context(), t, in, 0)
				if <-o.returned; o.answers[0].err != nil || o.answers[0].times != 1 {
					t.Errorf("answered %d times: %v", o.answers[0].times, o.answers[0].err)
				}
			}
		})
	}
	all.Wait()
}
