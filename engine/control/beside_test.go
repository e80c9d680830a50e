package control_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"conch/engine/control"
	"conch/engine/infer"
)

// A slow load does not delay other models, even if an ensemble is made of both: neither a save nor a load request nor
// an unload.
func TestSlowModelHoldsUpNoOtherOfItsEnsemble(t *testing.T) {
	for name, o := range following {
		t.Run(name, func(t *testing.T) {
			begun := make(chan string, 1)
			b := start(t, o, func(b *bench) {
				twoAndEnsemble(t)(b)
				b.addEnsemble(t, "e2", "e", "b")
				b.fake.OnLoad = stuck(begun)
			})
			b.dir.Write(t, "a/1/model.fake", "stuck")
			b.dir.Look()
			<-begun
			b.dir.Write(t, "b/1/model.fake", "two")
			b.dir.Look()
			b.until(t, "the newer b", func() bool { text, _ := b.ask("b", infer.Latest); return text == "two" })
			b.wantAnswer(t, "e2", "")
			if o.Mode == control.Explicit {
				b.dir.Write(t, "b/1/model.fake", "three")
				b.load(t, "b")
				b.wantAnswer(t, "b", "three")
				if err := b.Unload("e2", false); err != nil {
					t.Fatal(err)
				}
			}
			if s, _ := b.Status("a"); s.Loading.IsZero() {
				t.Error("the load of a has ended")
			}
			b.wantAnswer(t, "a", "one")
		})
	}
}

// A slow load of one model of an ensemble delays only the ensemble.
func TestSlowPartHoldsUpItsEnsembleAlone(t *testing.T) {
	begun := make(chan string, 1)
	b := start(t, control.Options{Mode: control.Explicit}, func(b *bench) {
		b.add(t, "a", "stuck")
		b.add(t, "b", "one")
		b.addEnsemble(t, "e", "a", "b")
		b.addEnsemble(t, "e2", "b")
		b.fake.OnLoad = stuck(begun)
	})
	ended := make(chan error, 1)
	go func() { ended <- b.Load(t.Context(), "e", control.Request{}) }()
	<-begun
	b.load(t, "e2")
	b.dir.Write(t, "b/1/model.fake", "two")
	b.load(t, "b")
	b.wantAnswer(t, "b", "two")
	if err := b.Unload("b", false); err != nil {
		t.Fatal(err)
	}
	b.wantError(t, "b", "Request for unknown model: 'b' has no available versions")
	b.load(t, "b")
	b.dir.Write(t, "a/1/model.fake", "mended")
	b.load(t, "a")
	<-ended
	b.untilIndex(t, "a/1 READY, b/1 READY, e/1 READY, e2/1 READY")
}

// An ensemble's steps may change while its load waits for its turn. The new models are loaded too.
func TestEnsembleIsMadeOfSomethingElseMeanwhile(t *testing.T) {
	begun := make(chan string, 1)
	b := start(t, control.Options{Mode: control.Explicit}, func(b *bench) {
		b.add(t, "a", "stuck")
		b.add(t, "c", "one")
		b.addEnsemble(t, "e", "a")
		b.addEnsemble(t, "e2", "e")
		b.fake.OnLoad = stuck(begun)
	})
	outer := make(chan error, 1)
	go func() { outer <- b.Load(t.Context(), "e2", control.Request{}) }()
	<-begun
	b.addEnsemble(t, "e", "a", "c")
	b.dir.Look()
	b.dir.Write(t, "a/1/model.fake", "mended")
	b.load(t, "a")
	<-outer
	b.load(t, "e2")
	b.wantIndex(t, "a/1 READY, c/1 READY, e/1 READY, e2/1 READY")
}

// Loading a chain of ensembles takes work in proportion to their number, not to its square.
func TestChainOfEnsembles(t *testing.T) {
	work := func(n int) float64 {
		var before, after runtime.MemStats
		b := start(t, control.Options{Mode: control.Explicit}, func(b *bench) {
			b.add(t, "a", "one")
			b.addEnsemble(t, "e0", "a")
			for i := 1; i < n; i++ {
				b.addEnsemble(t, fmt.Sprint("e", i), fmt.Sprint("e", i-1))
			}
		})
		limit, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		runtime.ReadMemStats(&before)
		if err := b.Load(limit, fmt.Sprint("e", n-1), control.Request{}); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return float64(after.Mallocs - before.Mallocs)
	}
	small := work(50)
	if large := work(200); large > 6*small {
		t.Errorf("a chain of 200 takes %.1f times the work of one of 50", large/small)
	}
}
