package control_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"conch/engine/backend"
	"conch/engine/control"
)

// askEachOther makes models that load others while they are being loaded, and fail when these fail.
func askEachOther(t *testing.T, loads map[string]string, threads int) *bench {
	t.Helper()
	return start(t, control.Options{Mode: control.Explicit, LoadThreads: threads}, func(b *bench) {
		for name := range loads {
			b.add(t, name, "fine")
		}
		b.fake.OnLoad = func(ctx context.Context, spec backend.Spec) error {
			if other := loads[spec.Name]; other != "" {
				return b.Load(ctx, other, control.Request{})
			}
			return nil
		}
	})
}

// within fails a test whose loads wait for each other for ever.
func within(t *testing.T, do func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		t.Fatal("the loads do not end")
	}
}

// Models that load each other while they are being loaded are told so, instead of waiting for ever.
func TestLoadsThatWaitForEachOther(t *testing.T) {
	for name, c := range map[string]struct {
		loads map[string]string
		ask   string
		want  string
	}{
		"itself": {map[string]string{"a": "a"}, "a", "model 'a' cannot load itself while it is being loaded"},
		"two":    {map[string]string{"a": "b", "b": "a"}, "a", "'b' loads 'a', which loads 'b'. Load one of them before the other"},
		"three":  {map[string]string{"a": "b", "b": "c", "c": "a"}, "b", "'a' loads 'b', which loads 'c', which loads 'a'"},
	} {
		t.Run(name, func(t *testing.T) {
			b := askEachOther(t, c.loads, 4)
			within(t, func() {
				if err := b.Load(t.Context(), c.ask, control.Request{}); err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%v, want %s", err, c.want)
				}
			})
			if got := b.index(); strings.Contains(got, "LOADING") {
				t.Errorf("something is still being loaded: %s", got)
			}
		})
	}
}

// Loads from two sides that meet end too, and an ensemble's load counts as those of its models.
func TestLoadsThatMeetEnd(t *testing.T) {
	b := askEachOther(t, map[string]string{"a": "b", "b": "e", "c": ""}, 4)
	b.addEnsemble(t, "e", "c", "a")
	b.dir.Look()
	within(t, func() {
		var all sync.WaitGroup
		for _, name := range []string{"a", "b", "e"} {
			all.Go(func() {
				if err := b.Load(t.Context(), name, control.Request{}); err == nil {
					t.Errorf("%s was loaded", name)
				}
			})
		}
		all.Wait()
	})
	b.wantAnswer(t, "c", "fine")
}

// A load that waits for another one does not count among the loads at a time.
func TestLoadsThatWaitForOthersLeaveRoom(t *testing.T) {
	loads := map[string]string{}
	for i := range 5 {
		loads[fmt.Sprint("m", i)] = fmt.Sprint("m", i+1)
	}
	loads["m5"] = ""
	b := askEachOther(t, loads, 1)
	within(t, func() { b.load(t, "m0") })
	b.wantIndex(t, "m0/1 READY, m1/1 READY, m2/1 READY, m3/1 READY, m4/1 READY, m5/1 READY")
}
