package budget_test

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"conch/engine/budget"
	"conch/engine/infer"
)

// Bytes beyond the limit are refused with an error that names the way out. Returned bytes can be
// taken again.
func TestGrow(t *testing.T) {
	b := budget.Of(100)
	first, second := b.Open(), b.Open()
	if err := first.Grow(60); err != nil {
		t.Fatal(err)
	}
	err := second.Grow(41)
	if infer.CodeOf(err) != infer.Unavailable || infer.FateOf(err) != infer.TurnedAway || !strings.Contains(err.Error(), "raise --request-memory-limit") {
		t.Errorf("beside another: %v", err)
	}
	if err := first.Grow(41); infer.CodeOf(err) != infer.InvalidArg || !strings.Contains(err.Error(), "at least 101 bytes") {
		t.Errorf("alone: %v", err)
	}
	if err := second.Grow(40); err != nil {
		t.Error(err)
	}
	answer := first.Split(20)
	first.Close()
	if b.Used() != 60 || first.Held() != 0 || answer.Held() != 20 {
		t.Errorf("%d are used, %d and %d held", b.Used(), first.Held(), answer.Held())
	}
	second.Force(100)
	second.Give(1000)
	answer.Close()
	if b.Used() != 0 {
		t.Errorf("%d are used at the end", b.Used())
	}
}

// Without a bound everything is accepted and counted. Without a budget nothing is counted.
func TestNoBound(t *testing.T) {
	b := budget.Of(-1)
	a := b.Open()
	if err := a.Grow(1 << 60); err != nil || b.Used() != 1<<60 || b.Limit() != 0 {
		t.Error(err, b.Used(), b.Limit())
	}
	var none *budget.Budget
	a = none.Open()
	if err := a.Grow(1 << 60); err != nil || none.Used() != 0 || none.Limit() != 0 {
		t.Error(err)
	}
	a.Force(1)
	a.Close()
}

// Many accounts that grow at a time never hold more than the limit together, and no bytes are lost.
func TestTogether(t *testing.T) {
	b := budget.Of(1000)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 10_000 {
				a := b.Open()
				_ = a.Grow(300)
				_ = a.Grow(100)
				if a.Held() > 1000 || b.Used() > 1000+8*300 { // a refusal adds for a moment
					t.Error("too much")
				}
				a.Close()
			}
		})
	}
	all.Wait()
	if b.Used() != 0 {
		t.Errorf("%d are used at the end", b.Used())
	}
}

// A second after a peak, the function is called once, to free memory. A small peak does not call
// it.
func TestCalm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := budget.Of(-1)
		calls := 0
		b.OnCalm(func() { calls++ })
		hold := func(bytes int64) {
			a := b.Open()
			a.Force(bytes)
			a.Close()
		}
		wait := func() {
			time.Sleep(10 * time.Second)
			synctest.Wait()
		}
		hold(1 << 20)
		wait()
		if calls != 0 {
			t.Fatal("a megabyte was much")
		}
		hold(100 << 20)
		hold(1 << 20)
		wait()
		hold(1 << 20)
		wait()
		if calls != 1 {
			t.Fatalf("%d calls after the first peak", calls)
		}
		busy := b.Open()
		busy.Force(100 << 20)
		hold(200 << 20)
		time.Sleep(budgetPause)
		busy.Force(100 << 20) // it is busy again before the second is over
		wait()
		if calls != 1 {
			t.Fatalf("%d calls while it was busy", calls)
		}
		busy.Close()
		wait()
		if calls != 2 {
			t.Fatalf("%d calls after the second peak", calls)
		}
	})
}

// While requests use much memory and none in turns, the function is not called. It is when they have ended.
func TestCalmWaitsForALoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := budget.Of(-1)
		var calls atomic.Int64
		b.OnCalm(func() { calls.Add(1) })
		for range 100 {
			a := b.Open()
			a.Force(100 << 20)
			time.Sleep(budgetPause / 10)
			a.Close()
			time.Sleep(budgetPause / 10)
		}
		synctest.Wait()
		if calls.Load() != 0 {
			t.Errorf("%d calls during the load", calls.Load())
		}
		time.Sleep(5 * budgetPause)
		synctest.Wait()
		if calls.Load() != 1 {
			t.Errorf("%d calls after the load", calls.Load())
		}
	})
}

const budgetPause = 500 * time.Millisecond
