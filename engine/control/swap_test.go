package control_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"conch/engine/control"
	"conch/engine/infer"
)

// Requests go on while a model is swapped again and again. No request is lost. Each is answered by one
// build, and never by an older build than an earlier answer had.
func TestSwapUnderLoad(t *testing.T) {
	b := start(t, control.Options{Mode: control.Explicit, LoadModels: []string{"e"}}, func(b *bench) {
		b.add(t, "a", "0")
		b.addEnsemble(t, "e", "a")
	})
	ctx, stop := context.WithCancel(t.Context())
	var newest, answered atomic.Int64
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for ctx.Err() == nil {
				name := "a"
				if i%4 == 0 {
					name = "e"
				}
				atLeast := newest.Load()
				content, err := b.ask(name, infer.Latest)
				if err != nil {
					t.Errorf("request was lost: %v", err)
					return
				}
				answered.Add(1)
				var build int64
				if _, err := fmt.Sscan(content, &build); name == "a" && (err != nil || build < atLeast) {
					t.Errorf("build %q answered after build %d", content, atLeast)
					return
				}
			}
		})
	}
	for build := int64(1); build <= 100; build++ {
		b.dir.Write(t, "a/1/model.fake", fmt.Sprint(build))
		b.load(t, "a")
		newest.Store(build)
	}
	stop()
	all.Wait()
	if answered.Load() == 0 {
		t.Error("no request was answered")
	}
	b.until(t, "only the last build held", func() bool { return b.fake.Models.Load() == 1 })
	v, err := b.Version("a", infer.Latest)
	if err != nil {
		t.Fatal(err)
	}
	if overall := v.Counters().Overall(); int64(overall.Rest.Success) < answered.Load() {
		t.Errorf("the metrics page counts %d requests over all builds, want at least %d", overall.Rest.Success, answered.Load())
	}
}

// Concurrent loads, unloads and requests end in a consistent state.
func TestCommandsFromAllSides(t *testing.T) {
	b := start(t, control.Options{Mode: control.Explicit, Reload: control.OnSave}, func(b *bench) {
		b.add(t, "a", "0")
		b.add(t, "b", "0")
		b.addEnsemble(t, "e", "a", "b")
		b.addEnsemble(t, "e2", "e", "b")
	})
	var all sync.WaitGroup
	for i, name := range []string{"a", "b", "e", "e2", "a", "e2"} {
		all.Go(func() {
			for n := range 20 {
				switch (n + i) % 3 {
				case 0:
					_ = b.Load(t.Context(), name, control.Request{Force: n%2 == 0}) // others may unload its parts
				case 1:
					_, _ = b.ask(name, infer.Latest)
				default:
					if err := b.Unload(name, n%2 == 0); err != nil {
						t.Errorf("unload %s: %v", name, err)
					}
				}
			}
		})
	}
	all.Wait()
	b.load(t, "e2")
	b.wantAnswer(t, "e2", "")
	b.untilIndex(t, "a/1 READY, b/1 READY, e/1 READY, e2/1 READY")
}
