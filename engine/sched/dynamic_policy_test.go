package sched_test

import (
	"testing"
	"testing/synctest"
	"time"

	"conch/engine/infer"
	"conch/engine/sched"
)

const tooLate = "Request timeout expired"

func wantExpired(t *testing.T, err error) {
	t.Helper()
	if infer.CodeOf(err) != infer.Unavailable || err == nil || err.Error() != tooLate || infer.FateOf(err) != infer.Expired {
		t.Errorf("error = %v, want %q", err, tooLate)
	}
}

// policies returns a scheduler with one level of this policy and an instance that takes a second.
func policies(p sched.Policy) (*worker, *gauge, *sched.Dynamic) {
	w, g := &worker{takes: time.Second}, &gauge{}
	return w, g, sched.NewDynamic([]sched.Executor{w}, sched.Batching{MaxBatch: 1, Levels: []sched.Policy{p}}, g)
}

func TestQueueSize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, g, d := policies(sched.Policy{MaxSize: 2})
		list := ones("runs", "a", "b", "q3", "")
		a, ended := sendAll(t, d, together(list...)...)
		for id, name := range map[string]string{"q3": "q3", "": "<id_unknown>"} {
			err := a.err(id)
			if infer.CodeOf(err) != infer.Unavailable || err == nil || err.Error() != "[request id: "+name+"] Exceeds maximum queue size" {
				t.Errorf("%q: %v", id, err)
			}
			if infer.FateOf(err) != infer.TurnedAway || ended[id] != 0 {
				t.Errorf("%q was turned away after %v with fate %v", id, ended[id], infer.FateOf(err))
			}
		}
		wantBatches(t, w, []string{"runs"}, []string{"a"}, []string{"b"})
		if g.now.Load() != 0 || g.high.Load() > 3 {
			t.Errorf("%d queued at the end, %d at most", g.now.Load(), g.high.Load())
		}
	})
}

func TestQueueSizeIsPerLevel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &worker{takes: time.Second}
		d := sched.NewDynamic([]sched.Executor{w}, sched.Batching{
			MaxBatch: 1, Levels: []sched.Policy{{}, {MaxSize: 1}}, DefaultLevel: 2,
		}, &gauge{})
		list := ones("runs", "low", "refused", "high")
		list[3].Priority = 1
		a, _ := sendAll(t, d, together(list...)...)
		if a.err("refused") == nil || a.err("low") != nil || a.err("high") != nil {
			t.Errorf("errors = %v", a.errs)
		}
		wantBatches(t, w, []string{"runs"}, []string{"high"}, []string{"low"})
	})
}

func TestTimeoutReject(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, g, d := policies(sched.Policy{Timeout: 100 * time.Millisecond})
		a, ended := sendAll(t, d, arrival{0, request("runs", 1)}, arrival{0, request("late", 1)}, arrival{950 * time.Millisecond, request("in time", 1)})
		wantExpired(t, a.err("late"))
		if ended["late"] != 100*time.Millisecond || a.err("runs") != nil || a.err("in time") != nil {
			t.Errorf("late was told after %v; errors = %v", ended["late"], a.errs)
		}
		wantBatches(t, w, []string{"runs"}, []string{"in time"})
		if g.now.Load() != 0 {
			t.Errorf("%d are still queued", g.now.Load())
		}
	})
}

func TestTimeoutDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _, d := policies(sched.Policy{Timeout: 100 * time.Millisecond, Late: sched.Delay})
		a, _ := sendAll(t, d, arrival{0, request("runs", 1)}, arrival{0, request("late", 1)}, arrival{0, request("late2", 1)},
			arrival{950 * time.Millisecond, request("fresh", 1)})
		noErrors(t, a)
		wantBatches(t, w, []string{"runs"}, []string{"fresh"}, []string{"late"}, []string{"late2"})
	})
}

// Delayed requests run after all others of their own level, and before those of the next level.
func TestTimeoutDelayWithinItsLevel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &worker{takes: time.Second}
		d := sched.NewDynamic([]sched.Executor{w}, sched.Batching{
			MaxBatch: 1, Levels: []sched.Policy{{Timeout: 100 * time.Millisecond, Late: sched.Delay}, {}}, DefaultLevel: 2,
		}, &gauge{})
		late, fresh := request("late", 1), request("fresh", 1)
		late.Priority, fresh.Priority = 1, 1
		a, _ := sendAll(t, d, arrival{0, request("runs", 1)}, arrival{0, request("low", 1)}, arrival{0, late}, arrival{950 * time.Millisecond, fresh})
		noErrors(t, a)
		wantBatches(t, w, []string{"runs"}, []string{"fresh"}, []string{"late"}, []string{"low"})
	})
}

// Delayed requests still count in a queue of limited size.
func TestQueueSizeCountsTheDelayed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, _, d := policies(sched.Policy{MaxSize: 2, Timeout: 100 * time.Millisecond, Late: sched.Delay})
		a, _ := sendAll(t, d, arrival{0, request("runs", 1)}, arrival{0, request("late", 1)}, arrival{500 * time.Millisecond, request("fresh", 1)}, arrival{0, request("refused", 1)})
		if err := a.err("refused"); infer.FateOf(err) != infer.TurnedAway || a.err("late") != nil || a.err("fresh") != nil {
			t.Errorf("errors = %v", a.errs)
		}
	})
}

func TestTimeoutOverride(t *testing.T) {
	asked := func(id string, timeout time.Duration) *infer.Request {
		r := request(id, 1)
		r.Timeout = timeout
		return r
	}
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		policy sched.Policy
		asks   time.Duration
		want   time.Duration // when it is refused; 0 when it runs
	}{
		"shorter":            {sched.Policy{Timeout: 500 * ms, Override: true}, 100 * ms, 100 * ms},
		"longer":             {sched.Policy{Timeout: 500 * ms, Override: true}, 900 * ms, 500 * ms},
		"none asked":         {sched.Policy{Timeout: 500 * ms, Override: true}, 0, 500 * ms},
		"not allowed":        {sched.Policy{Timeout: 500 * ms}, 100 * ms, 500 * ms},
		"no default to beat": {sched.Policy{Override: true}, 100 * ms, 0},
		"no policy":          {sched.Policy{}, 100 * ms, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, _, d := policies(c.policy)
				a, ended := sendAll(t, d, together(request("runs", 1), asked("x", c.asks))...)
				if c.want == 0 {
					noErrors(t, a)
					return
				}
				wantExpired(t, a.err("x"))
				if ended["x"] != c.want {
					t.Errorf("told after %v, want %v", ended["x"], c.want)
				}
			})
		})
	}
}

// A timeout also changes how long a batch waits: the requests that are left run after their own
// delay.
func TestTimeoutWhileWaitingForCompany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &worker{}
		d := sched.NewDynamic([]sched.Executor{w}, sched.Batching{
			MaxBatch: 8, MaxDelay: delay, Levels: []sched.Policy{{Timeout: 100 * time.Millisecond}},
		}, &gauge{})
		a, ended := sendAll(t, d, arrival{0, request("a", 1)})
		wantExpired(t, a.err("a"))
		if ended["a"] != 100*time.Millisecond || len(w.batches) != 0 {
			t.Errorf("told after %v; batches %v", ended["a"], w.batches)
		}
	})
}

// With two instances, the quick answer of the second waits for the slow one of the first.
func TestPreserveOrdering(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow, quick := &worker{takes: time.Second}, &worker{takes: 100 * time.Millisecond}
		d := sched.NewDynamic([]sched.Executor{quick, slow}, sched.Batching{MaxBatch: 1, Ordered: true}, &gauge{})
		a, ended := sendAll(t, d, together(ones("a", "b", "c")...)...)
		noErrors(t, a)
		if len(slow.batches) != 1 || len(quick.batches) != 2 {
			t.Errorf("the slow instance ran %v, the quick one %v: an answer that waits must not keep an instance", slow.batches, quick.batches)
		}
		for _, id := range []string{"a", "b", "c"} {
			if ended[id] != time.Second {
				t.Errorf("%s ended after %v, want 1s", id, ended[id])
			}
		}
	})
}

// A refusal takes its turn as well, and nothing behind it hangs.
func TestPreserveOrderingWithRefusals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &worker{takes: time.Second}
		d := sched.NewDynamic([]sched.Executor{w}, sched.Batching{
			MaxBatch: 1, Ordered: true, Levels: []sched.Policy{{Timeout: 100 * time.Millisecond}},
		}, &gauge{})
		a, ended := sendAll(t, d, arrival{0, request("a", 1)}, arrival{0, request("late", 1)}, arrival{950 * time.Millisecond, request("c", 1)})
		wantExpired(t, a.err("late"))
		if ended["late"] != time.Second || a.err("c") != nil {
			t.Errorf("late was told after %v; errors = %v", ended["late"], a.errs)
		}
	})
}
