package control_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"conch/engine/backend"
	"conch/engine/backend/fake"
	"conch/engine/control"
	"conch/engine/infer"
)

// happening waits for the next happening of a model.
func happening(t *testing.T, w *control.Watcher, model string) control.Happening {
	t.Helper()
	limit, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for {
		changes, err := w.Next(limit)
		if err != nil {
			t.Fatalf("nothing is told of %s", model)
		}
		for _, h := range changes.Happenings {
			if h.Model == model {
				return h
			}
		}
	}
}

// Triton sees a change by the file's time and updates in place, which creates nothing again. The person who saved the
// file gets a message.
func TestCommentIsToldAsAReload(t *testing.T) {
	b := start(t, control.Options{Mode: control.Explicit, Reload: control.OnSave, LoadModels: []string{"*"}},
		func(b *bench) { b.add(t, "a", "one") })
	before, _ := b.Version("a", infer.Latest)
	loaded, _ := b.Status("a")
	w := b.Watch()
	defer w.Close()
	b.dir.Write(t, "a/config.pbtxt", "# only a comment\n"+config("a"))
	b.dir.Look()
	h := happening(t, w, "a")
	if h.Kind != control.Reloaded || h.Version != 1 || !strings.HasPrefix(h.Reason, "nothing had to be reloaded") {
		t.Errorf("told %+v", h)
	}
	if now, _ := b.Version("a", infer.Latest); now != before || b.fake.Loads.Load() != 1 {
		t.Errorf("the version was made again: %d loads", b.fake.Loads.Load())
	}
	// What serves has answered before too, so no answer is older than the load.
	if s, _ := b.Status("a"); s.LoadError != "" || loaded.Loaded.IsZero() || !s.Loaded.Equal(loaded.Loaded) {
		t.Errorf("status is %+v, before it was %+v", s, loaded)
	}
}

// Triton 24.10 does the same: the ensemble falls, its index entry says "unloaded", and the reload of the model
// succeeds.
func TestEnsembleFallsWhenAPartTakesSmallerBatches(t *testing.T) {
	b := start(t, control.Options{Mode: control.Explicit, LoadModels: []string{"e"}}, twoAndEnsemble(t))
	w := b.Watch()
	defer w.Close()
	b.dir.Write(t, "a/config.pbtxt", strings.Replace(config("a"), "max_batch_size: 4", "max_batch_size: 2", 1))
	b.load(t, "a")
	const told = "ensemble e allows maximum batch size 4, but it contains model a which only allows maximum batch size to be 2"
	if h := happening(t, w, "e"); h.Kind != control.Unloaded || h.Reason != told {
		t.Errorf("told %+v", h)
	}
	b.untilIndex(t, "a/1 READY, b/1 READY, e/1 UNAVAILABLE (unloaded)")
	if s, _ := b.Status("e"); s.LoadError != told {
		t.Errorf("status is %+v", s)
	}
	b.wantError(t, "e", "Request for unknown model: 'e' has no available versions")
	if err := b.Load(t.Context(), "e", control.Request{}); err == nil || err.Error() != "load failed for model 'e': "+told+"\n" {
		t.Errorf("load = %v", err)
	}
	b.dir.Write(t, "a/config.pbtxt", config("a"))
	b.load(t, "a")
	b.untilIndex(t, "a/1 READY, b/1 READY, e/1 READY")
}

// When most of a repository is removed and comes back, its ensemble is unloaded and loaded like any model, and no
// failure is reported.
func TestEnsembleThatGoesWithItsParts(t *testing.T) {
	b := start(t, control.Options{Mode: control.Explicit, Reload: control.OnSave, LoadModels: []string{"*"}}, func(b *bench) {
		twoAndEnsemble(t)(b)
		b.add(t, "other", "one")
	})
	w := b.Watch()
	defer w.Close()
	for _, name := range []string{"a", "b", "e"} {
		b.dir.Remove(t, name)
	}
	b.dir.Look()
	b.until(t, "one served", func() bool { return len(b.Serving()) == 1 })
	twoAndEnsemble(t)(b)
	b.dir.Look()
	b.untilIndex(t, "a/1 READY, b/1 READY, e/1 READY, other/1 READY")
	changes, err := w.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range changes.Happenings {
		if h.Kind == control.LoadFailed || h.Kind == control.ReloadFailed {
			t.Errorf("told of %s: %s", h.Model, h.Reason)
		}
	}
}

// A step may name a model that no repository has. Then the ensemble's load fails, and nothing is reported about the
// name: there is no such model.
func TestAMissingModelIsToldAsTheEnsemblesFailure(t *testing.T) {
	for _, namespacing := range []bool{false, true} {
		b := start(t, control.Options{Mode: control.Explicit, Namespacing: namespacing}, func(b *bench) {
			b.add(t, "a", "one")
			b.addEnsemble(t, "e", "a", "nosuch")
		})
		w := b.Watch()
		if err := b.Load(t.Context(), "nosuch", control.Request{}); err == nil {
			t.Fatal("a model without a folder loaded")
		}
		if err := b.Load(t.Context(), "e", control.Request{}); err == nil {
			t.Fatal("an ensemble without a part loaded")
		}
		changes, err := w.Next(t.Context())
		w.Close()
		if err != nil {
			t.Fatal(err)
		}
		failed := []string{}
		for _, h := range changes.Happenings {
			if h.Kind == control.LoadFailed {
				failed = append(failed, h.Model+": "+h.Reason)
			}
		}
		if len(failed) != 1 || !strings.Contains(failed[0], "e: ensemble") || !strings.HasSuffix(failed[0], ": nosuch") {
			t.Errorf("namespacing %v: told of failed loads %q, want that of e because of nosuch", namespacing, failed)
		}
	}
}

// A missing model of an ensemble is reported once, not again after the load of each other model.
func TestKnownFailureIsNoNews(t *testing.T) {
	b := start(t, control.Options{Mode: control.Explicit}, func(b *bench) {
		b.add(t, "a", "one")
		b.addEnsemble(t, "e", "a", "nosuch")
	})
	w := b.Watch()
	defer w.Close()
	if err := b.Load(t.Context(), "e", control.Request{}); err == nil {
		t.Fatal("an ensemble without a part loaded")
	}
	for range 3 {
		if err := b.Load(t.Context(), "a", control.Request{Force: true}); err != nil {
			t.Fatal(err)
		}
	}
	changes, err := w.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	told := 0
	for _, h := range changes.Happenings {
		if h.Model == "e" {
			told++
		}
	}
	if told != 1 {
		t.Errorf("told %d times: %+v", told, changes.Happenings)
	}
	if s, _ := b.Status("e"); s.LoadError == "" {
		t.Error("the reason is lost")
	}
}

// The death of an instance is told with its reason. The status says the same only until the instance runs again.
func TestDeathIsTold(t *testing.T) {
	b := start(t, control.Options{Mode: control.Explicit, LoadModels: []string{"a"}}, func(b *bench) {
		b.fake.Mortal = true
		b.fake.OnExecute = func(ctx context.Context, _ backend.Spec, batch *backend.Batch) {
			fake.Killable(ctx).Kill(errors.New("signal: killed"))
			batch.FailAll(errors.New("died at work"))
		}
		b.add(t, "a", "one")
	})
	w := b.Watch()
	defer w.Close()
	if _, err := b.ask("a", infer.Latest); err == nil {
		t.Error("the request was answered")
	}
	h := happening(t, w, "a")
	if h.Kind != control.InstanceDied || h.Version != 1 || h.Reason != "model instance a_0 died: signal: killed. Conch starts it again after 1 second" {
		t.Errorf("told %+v", h)
	}
	if h := happening(t, w, "a"); h.Kind != control.InstanceRevived || h.Version != 1 || h.Reason != "" {
		t.Errorf("told then %+v", h)
	}
}
