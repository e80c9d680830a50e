package control_test

import (
	"testing"

	"conch/engine/control"
	"conch/engine/infer"
)

// A stopped reload leaves the serving versions, and does not begin again before the files change or somebody
// asks.
func TestStopLoadKeepsWhatServes(t *testing.T) {
	begun := make(chan struct{}, 1)
	b := start(t, control.Options{Mode: control.Explicit, Reload: control.OnSave, LoadModels: []string{"*"}}, func(b *bench) {
		b.add(t, "a", "one")
		b.add(t, "other", "one")
		b.addEnsemble(t, "e", "a")
	})
	if err := b.StopLoad(t.Context(), "a"); err == nil {
		t.Error("a load was stopped, and none was under way")
	}
	b.fake.OnLoad = slow(begun, "a")
	b.dir.Write(t, "a/1/model.fake", "two")
	b.dir.Look()
	<-begun
	if err := b.StopLoad(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	b.wantAnswer(t, "a", "one")
	if _, err := b.ask("e", infer.Latest); err != nil {
		t.Errorf("the ensemble fell: %v", err)
	}
	if s, _ := b.Status("a"); !s.Changed || s.LoadError != "" {
		t.Errorf("after the stop it is %+v", s)
	}
	b.dir.Write(t, "other/1/model.fake", "two")
	b.dir.Look()
	b.until(t, "the other follows", func() bool { text, _ := b.ask("other", 1); return text == "two" })
	select {
	case <-begun:
		t.Error("the stopped load was begun again for a change of another model")
	default:
	}
	b.fake.OnLoad = nil
	b.load(t, "a")
	b.wantAnswer(t, "a", "two")
}

// A stopped first load leaves the model unloaded, and its caller gets an answer.
func TestStopFirstLoad(t *testing.T) {
	begun := make(chan struct{}, 1)
	b := start(t, control.Options{Mode: control.Explicit}, func(b *bench) {
		b.add(t, "a", "one")
		b.fake.OnLoad = slow(begun, "a")
	})
	ended := make(chan error)
	go func() { ended <- b.Load(t.Context(), "a", control.Request{}) }()
	<-begun
	if err := b.StopLoad(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil {
		t.Error("it loaded")
	}
	b.wantIndex(t, "a/1 UNAVAILABLE (unloaded)")
	if !b.Ready() {
		t.Error("a stopped load keeps the server from being ready")
	}
}
