package sched_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"conch/configedit/modelconfig"
	"conch/engine/infer"
	"conch/engine/sched"
	"conch/engine/tensor"
)

// entries is a shop that records which models are entered, and which are not left yet.
type entries struct {
	*shop

	mu      sync.Mutex // guards what follows
	entered []string
	inside  int
}

func (e *entries) Enter(model string, version int64) (infer.Target, error) {
	config, err := e.Config(model, version)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.entered = append(e.entered, model)
	e.inside++
	return infer.Target{Config: config, Version: e}, err
}

func (e *entries) Leave() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.inside--
}

// Each step of a request enters its model once, for any number of requests that it sends there, and leaves it. A
// model that is loaded again meanwhile serves the next request.
func TestAStepStaysInOneVersion(t *testing.T) {
	for _, c := range []struct {
		name, want, entered string
		cfg                 *modelconfig.ModelConfig
	}{
		{"side by side", "1 2 3", "[rep id]", streaming("rep IN=IN > OUT=t", "id IN=t > OUT=OUT")},
		{"in order", "1 2 3", "[rep back]", streaming("rep IN=IN > OUT=t", "back IN=t > OUT=OUT")},
		{"a step fails", "", "[rep bad]", streaming("rep IN=IN > OUT=t", "bad IN=t > OUT=OUT")},
		{"once", "3", "[id id]", streaming("id IN=IN > OUT=t", "id IN=t > OUT=OUT")},
	} {
		for _, instances := range []int32{1, 2} {
			t.Run(fmt.Sprint(c.name, " ", instances), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					c.cfg.ModelTransactionPolicy.Decoupled = c.name != "once"
					e := &entries{shop: &shop{instances: instances}}
					got, err := answersFrom(t, e.shop, sched.NewEnsemble(c.cfg, e), ofNumber(3))
					if (err != nil) != (c.name == "a step fails") || !strings.HasPrefix(got, c.want) {
						t.Errorf("answers %q, %v; want %s", got, err, c.want)
					}
					if fmt.Sprint(e.entered) != c.entered || e.inside != 0 {
						t.Errorf("entered %v, want %s; %d are inside at the end", e.entered, c.entered, e.inside)
					}
				})
			})
		}
	}
}

// A request of a sequence enters the models of all steps before the first runs, so that all its requests find the same versions. What held
// them before it ran leaves them.
func TestASequenceEntersAllSteps(t *testing.T) {
	cfg := streaming("bad IN=IN > OUT=t", "id IN=t > OUT=OUT")
	cfg.ModelTransactionPolicy.Decoupled = false
	e := &entries{shop: &shop{}}
	outer := sched.NewEnsemble(cfg, e)
	for _, inSequence := range []bool{false, true} {
		r := ofNumber(2) // which the first step refuses
		if inSequence {
			r.Sequence.ID = 1
		}
		e.entered = nil
		if _, err := answersFrom(t, e.shop, outer, r); err == nil {
			t.Error("the first step did not fail")
		}
		if got, want := fmt.Sprint(e.entered), map[bool]string{false: "[bad]", true: "[bad id]"}[inSequence]; got != want || e.inside != 0 {
			t.Errorf("in a sequence %v: entered %s, want %s; %d are inside at the end", inSequence, got, want, e.inside)
		}
	}
	r := ofNumber(3)
	r.Held = &infer.Held{Steps: outer.Hold()}
	if got, err := answersFrom(t, e.shop, outer, r); err != nil || got != "3." || e.inside != 2 {
		t.Errorf("answers %q, %v; %d are inside, want the 2 that are held", got, err, e.inside)
	}
	for i := range r.Held.Steps {
		r.Held.Steps[i].Leave()
	}
	if e.inside != 0 {
		t.Errorf("%d are inside at the end", e.inside)
	}
}

// A request whose versions the caller leaves ends when no step runs in them any more, also after a failure. It may be of no sequence: that of a
// step is the one that the step before it has named.
func TestHeldVersionsAreNotLeftWhileAStepRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &parts{
			takes:  map[string]time.Duration{"b": 10, "c": 100},
			fails:  map[string]error{"b": infer.Errorf(infer.Unavailable, "b is tired")},
			copies: map[string]bool{"c": true},
		}
		e := sched.NewEnsemble(diamond(), p)
		r := &infer.Request{Inputs: []tensor.Tensor{{Name: "IN", Data: []byte("i")}}, Held: &infer.Held{Steps: e.Hold()}}
		err := e.Infer(t.Context(), r, func(*infer.Response) error { return nil })
		if err == nil || fmt.Sprint(p.ran) != "[a b c]" {
			t.Errorf("%v; %v have run when the caller leaves the versions, want a, b and c", err, p.ran)
		}
	})
}

// An ensemble may be loaded before one of its models becomes decoupled. It then reports an error
// and does not drop responses silently.
func TestStepThatBecameDecoupled(t *testing.T) {
	cfg := streaming("rep IN=IN > OUT=OUT")
	cfg.ModelTransactionPolicy = nil
	_, err := answersOf(t, &shop{}, cfg, ofNumber(2))
	if infer.CodeOf(err) != infer.Internal || !strings.Contains(err.Error(), "load the ensemble again") {
		t.Errorf("error = %v", err)
	}
}
