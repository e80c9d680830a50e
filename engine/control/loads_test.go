package control_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"conch/engine/backend"
	"conch/engine/control"
)

// Loads run at the same time, at most --model-load-thread-count of them.
func TestLoadsAreBounded(t *testing.T) {
	var now, most atomic.Int64
	met := make(chan struct{}) // closed when two load at a time
	meet := sync.OnceFunc(func() { close(met) })
	b := start(t, control.Options{Mode: control.Explicit, LoadThreads: 2}, func(b *bench) {
		for i := range 6 {
			b.add(t, fmt.Sprint("m", i), "one")
		}
		b.fake.OnLoad = func(context.Context, backend.Spec) error {
			n := now.Add(1)
			defer now.Add(-1)
			if n > most.Load() {
				most.Store(n)
			}
			if n >= 2 {
				meet()
			}
			<-met
			return nil
		}
	})
	ended := make(chan error)
	for i := range 6 {
		go func() { ended <- b.Load(t.Context(), fmt.Sprint("m", i), control.Request{}) }()
	}
	for range 6 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	if most.Load() != 2 {
		t.Errorf("%d loads ran at a time, want 2", most.Load())
	}
}

// --model-load-retry-count retries at once.
func TestLoadIsTriedAgain(t *testing.T) {
	var tries atomic.Int64
	b := start(t, control.Options{Mode: control.Explicit, LoadRetries: 2}, func(b *bench) {
		b.add(t, "a", "one")
		b.add(t, "never", "one")
		b.fake.OnLoad = func(_ context.Context, spec backend.Spec) error {
			if n := tries.Add(1); spec.Name == "never" || n < 3 {
				return errors.New("not yet")
			}
			return nil
		}
	})
	b.load(t, "a")
	if n := tries.Swap(0); n != 3 {
		t.Errorf("%d tries, want 3", n)
	}
	if err := b.Load(t.Context(), "never", control.Request{}); err == nil || tries.Load() != 3 {
		t.Errorf("%d tries, %v; want 3 and a failure", tries.Load(), err)
	}
}

// A load of an unchanged ensemble reads no config again; a load of a changed one does.
func TestUnchangedLoads(t *testing.T) {
	b := start(t, control.Options{Mode: control.Explicit, LoadModels: []string{"*"}}, twoAndEnsemble(t))
	for range 3 {
		b.load(t, "e")
	}
	if n := b.fake.Loads.Load(); n != 2 {
		t.Errorf("%d loads, want 2", n)
	}
	b.dir.Write(t, "a/config.pbtxt", config("a", "version_policy { all {} }"))
	b.dir.Write(t, "a/2/model.fake", "two")
	b.load(t, "e")
	b.wantIndex(t, "a/1 READY, a/2 READY, b/1 READY, e/1 READY")
}

// The time of a load does not contain that in which it waited for others.
func TestTimeOfALoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := start(t, control.Options{Mode: control.Explicit, LoadThreads: 1}, func(b *bench) {
			for _, name := range []string{"a", "b"} {
				b.add(t, name, "fine")
			}
			b.fake.OnLoad = func(context.Context, backend.Spec) error {
				time.Sleep(3 * time.Second)
				return nil
			}
		})
		var both sync.WaitGroup
		for _, name := range []string{"a", "b"} {
			both.Go(func() {
				if err := b.Load(t.Context(), name, control.Request{}); err != nil {
					t.Error(err)
				}
			})
		}
		both.Wait()
		var loaded []control.Happening
		for len(loaded) < 2 {
			loaded = append(loaded, b.happenings(t, control.Loaded)...)
		}
		for _, h := range loaded {
			if h.Took != 3*time.Second {
				t.Errorf("%s took %s", h.Model, h.Took)
			}
		}
	})
}
