package control_test

import (
	"context"
	"testing"

	"conch/engine/backend"
	"conch/engine/control"
	"conch/engine/infer"
)

// slow makes every load of a model last until it is stopped, and signals when it has begun.
func slow(begun chan<- struct{}, name string) func(ctx context.Context, spec backend.Spec) error {
	return func(ctx context.Context, spec backend.Spec) error {
		if spec.Name != name {
			return nil
		}
		begun <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	}
}

func TestUnloadEndsALoad(t *testing.T) {
	begun := make(chan struct{}, 1)
	b := start(t, control.Options{Mode: control.Explicit, LoadModels: []string{"other"}}, func(b *bench) {
		b.add(t, "a", "one")
		b.add(t, "other", "one")
		b.fake.OnLoad = slow(begun, "a")
	})
	ended := make(chan error)
	go func() { ended <- b.Load(t.Context(), "a", control.Request{}) }()
	<-begun
	if err := b.Unload("a", false); err != nil {
		t.Fatal(err)
	}
	const want = "load failed for model 'a': version 1 is at UNAVAILABLE state: Cancelled: load of model 'a' was cancelled: an unload came before it was done;\n"
	if err := <-ended; err == nil || err.Error() != want {
		t.Errorf("load = %v, want %s", err, want)
	}
	b.wantIndex(t, "a/1 UNAVAILABLE (unloaded), other/1 READY")
	if !b.Ready() {
		t.Error("a load that nobody waits for keeps the server from being ready")
	}
	b.wantAnswer(t, "other", "one")
}

// A load request that is refused ends no load of the same model that is under way.
func TestRefusedRequestEndsNoLoad(t *testing.T) {
	begun, goOn := make(chan struct{}, 1), make(chan struct{})
	b := start(t, control.Options{Mode: control.Explicit}, func(b *bench) {
		b.add(t, "a", "one")
		b.fake.OnLoad = func(ctx context.Context, _ backend.Spec) error {
			select {
			case begun <- struct{}{}:
			default: // a load that should not have begun
			}
			select {
			case <-goOn:
			case <-ctx.Done():
			}
			return ctx.Err()
		}
	})
	ended := make(chan error, 1)
	go func() { ended <- b.Load(t.Context(), "a", control.Request{}) }()
	<-begun
	for name, r := range map[string]control.Request{
		"a library":       overriding(`,"model_operations":{"op_library_filename":["/tmp/evil.so"]}`),
		"no config":       {Files: files("1/model.fake")},
		"a broken config": {Override: "{"},
		"a path outside":  {Override: given, Files: files("../model.fake")},
	} {
		if err := b.Load(t.Context(), "a", r); err == nil {
			t.Errorf("%s is not refused", name)
		}
	}
	close(goOn)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	b.wantAnswer(t, "a", "one")
}

func TestClientThatGoesEndsItsLoad(t *testing.T) {
	begun := make(chan struct{}, 1)
	b := start(t, control.Options{Mode: control.Explicit}, func(b *bench) {
		b.add(t, "a", "one")
		b.fake.OnLoad = slow(begun, "a")
	})
	ctx, gone := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- b.Load(ctx, "a", control.Request{}) }()
	<-begun
	gone()
	if err := <-ended; err == nil {
		t.Error("it loaded")
	}
	b.fake.OnLoad = nil
	b.load(t, "a")
	b.wantAnswer(t, "a", "one")
}

// What happens when files change can be set for each model.
func TestReloadPerModel(t *testing.T) {
	b := start(t, control.Options{Mode: control.Explicit, Reload: control.OnSave, LoadModels: []string{"*"}}, func(b *bench) {
		b.add(t, "a", "one")
		b.add(t, "b", "one")
	})
	b.SetReload("a", control.Ask)
	b.dir.Write(t, "a/1/model.fake", "two")
	b.dir.Write(t, "b/1/model.fake", "two")
	b.dir.Look()
	b.until(t, "b follows", func() bool { text, _ := b.ask("b", infer.Latest); return text == "two" })
	b.until(t, "the change is seen", func() bool { s, _ := b.Status("a"); return s.Changed && s.Reload == control.Ask })
	b.wantAnswer(t, "a", "one")
	b.load(t, "a")
	b.wantAnswer(t, "a", "two")
	if s, _ := b.Status("a"); s.Changed {
		t.Error("still marked as changed")
	}
	b.dir.Write(t, "a/1/model.fake", "three")
	b.dir.Look()
	b.SetReload("a", "")
	b.until(t, "a follows", func() bool { text, _ := b.ask("a", infer.Latest); return text == "three" })
}
