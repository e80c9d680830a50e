package control_test

import (
	"context"
	"strings"
	"testing"

	"conch/engine/backend"
	"conch/engine/control"
	"conch/engine/infer"
)

func twoAndEnsemble(t *testing.T) func(b *bench) {
	return func(b *bench) {
		b.add(t, "a", "one")
		b.add(t, "b", "one")
		b.addEnsemble(t, "e", "a", "b")
	}
}

func TestEnsembleBringsItsParts(t *testing.T) {
	b := start(t, control.Options{Mode: control.Explicit}, twoAndEnsemble(t))
	b.load(t, "e")
	b.wantIndex(t, "a/1 READY, b/1 READY, e/1 READY")
	b.wantAnswer(t, "e", "")
	if s, _ := b.Status("a"); s.Explicit {
		t.Error("a part counts as loaded by its own name")
	}
	cfg, err := b.Config("e")
	if err != nil || cfg.ModelTransactionPolicy == nil || cfg.Optimization != nil {
		t.Errorf("config of the ensemble = %v, %v; want a transaction policy and no optimization", cfg, err)
	}
}

func TestUnloadOfAPartTakesTheEnsembleDown(t *testing.T) {
	b := start(t, control.Options{Mode: control.Explicit, LoadModels: []string{"e"}}, twoAndEnsemble(t))
	if err := b.Unload("a", false); err != nil {
		t.Fatal(err)
	}
	b.wantError(t, "e", "Request for unknown model: 'e' has no available versions")
	b.untilIndex(t, "a/1 UNAVAILABLE (unloaded), b/1 READY, e/1 UNAVAILABLE (unloaded)")
	if s, _ := b.Status("e"); s.LoadError != "ensemble e contains models that are not available or ambiguous: a" {
		t.Errorf("people are told %q", s.LoadError)
	}
	if s, _ := b.Status("e"); !s.PartUnloaded {
		t.Error("the status does not say that a part was unloaded")
	}
	b.load(t, "a")
	b.wantIndex(t, "a/1 READY, b/1 READY, e/1 READY")
	if s, _ := b.Status("e"); s.PartUnloaded {
		t.Error("the status still says that a part was unloaded")
	}

	if err := b.Unload("e", false); err != nil {
		t.Fatal(err)
	}
	b.untilIndex(t, "a/1 READY, b/1 READY, e/1 UNAVAILABLE (unloaded)")
	if err := b.Unload("a", false); err != nil {
		t.Fatal(err)
	}
	b.load(t, "a")
	b.untilIndex(t, "a/1 READY, b/1 READY, e/1 UNAVAILABLE (unloaded)")
}

func TestUnloadWithDependents(t *testing.T) {
	b := start(t, control.Options{Mode: control.Explicit}, func(b *bench) {
		twoAndEnsemble(t)(b)
		b.add(t, "c", "one")
		b.addEnsemble(t, "e2", "b", "c")
	})
	b.load(t, "a")
	b.load(t, "e")
	b.load(t, "e2")
	if err := b.Unload("e", true); err != nil {
		t.Fatal(err)
	}
	b.untilIndex(t, "a/1 READY, b/1 READY, c/1 READY, e/1 UNAVAILABLE (unloaded), e2/1 READY")
	if err := b.Unload("e2", true); err != nil {
		t.Fatal(err)
	}
	b.untilIndex(t, "a/1 READY, b/1 UNAVAILABLE (unloaded), c/1 UNAVAILABLE (unloaded), e/1 UNAVAILABLE (unloaded), e2/1 UNAVAILABLE (unloaded)")
}

// A model that was loaded by its name stays when an ensemble made of it is unloaded, even if both were loaded
// at once.
func TestUnloadWithDependentsKeepsWhatWasAskedFor(t *testing.T) {
	for range 10 { // the order in which an operation reads the definitions of its models is not fixed
		b := start(t, control.Options{Mode: control.Explicit, LoadModels: []string{"*"}}, twoAndEnsemble(t))
		if err := b.Unload("e", true); err != nil {
			t.Fatal(err)
		}
		b.untilIndex(t, "a/1 READY, b/1 READY, e/1 UNAVAILABLE (unloaded)")
	}
}

func TestReloadOfAPartKeepsTheEnsemble(t *testing.T) {
	b := start(t, control.Options{Mode: control.Explicit, Reload: control.OnSave, LoadModels: []string{"e"}}, twoAndEnsemble(t))
	b.wantAnswer(t, "e", "")
	v, _ := b.Version("e", infer.Latest)
	b.dir.Write(t, "a/1/model.fake", "two")
	b.dir.Look()
	b.until(t, "two", func() bool { s, _ := b.ask("a", infer.Latest); return s == "two" })
	b.wantAnswer(t, "e", "")
	if now, _ := b.Version("e", infer.Latest); now != v {
		t.Error("the ensemble was made again")
	}

	b.dir.Write(t, "a/config.pbtxt", strings.Replace(config("a"), "TYPE_FP32", "TYPE_INT32", 1))
	b.dir.Look()
	b.untilIndex(t, "a/1 READY, b/1 READY, e/1 UNAVAILABLE (unloaded)")
	const told = "in ensemble e, ensemble tensor X: inconsistent data type: TYPE_FP32 is inferred from model e while TYPE_INT32 is inferred from model a"
	if s, _ := b.Status("e"); s.LoadError != told {
		t.Errorf("people are told %q", s.LoadError)
	}
	b.dir.Write(t, "a/config.pbtxt", config("a"))
	b.dir.Look()
	b.untilIndex(t, "a/1 READY, b/1 READY, e/1 READY")
}

// An ensemble is decoupled when a step is, even if its config says otherwise, and follows when that
// changes.
func TestEnsembleIsDecoupledWhenAPartIs(t *testing.T) {
	b := start(t, control.Options{Mode: control.Explicit, Reload: control.OnSave, LoadModels: []string{"e2"}}, func(b *bench) {
		twoAndEnsemble(t)(b)
		b.addEnsemble(t, "e2", "e", "b")
	})
	is := func(want bool) func() bool {
		return func() bool {
			inner, err := b.Config("e")
			outer, fault := b.Config("e2")
			return err == nil && fault == nil && inner.ModelTransactionPolicy.Decoupled == want && outer.ModelTransactionPolicy.Decoupled == want
		}
	}
	b.until(t, "ensembles that answer once", is(false))
	b.dir.Write(t, "a/config.pbtxt", config("a", "model_transaction_policy { decoupled: true }"))
	b.dir.Look()
	b.until(t, "decoupled ensembles", is(true))
	b.wantAnswer(t, "e2", "")
	b.dir.Write(t, "a/config.pbtxt", config("a"))
	b.dir.Look()
	b.until(t, "ensembles that answer once", is(false))
	b.wantIndex(t, "a/1 READY, b/1 READY, e/1 READY, e2/1 READY")
}

func TestEnsembleComesWhenItsPartDoes(t *testing.T) {
	b := start(t, control.Options{Mode: control.Explicit, Reload: control.OnSave}, func(b *bench) {
		b.addEnsemble(t, "e", "a")
	})
	err := b.Load(t.Context(), "e", control.Request{})
	if err == nil || err.Error() != "load failed for model 'e': ensemble e contains models that are not available or ambiguous: a\n" {
		t.Fatalf("load = %v", err)
	}
	b.add(t, "a", "one")
	b.dir.Look()
	b.untilIndex(t, "a/1 READY, e/1 READY")
}

func TestEnsembleOfABrokenPart(t *testing.T) {
	b := start(t, control.Options{Mode: control.Explicit}, func(b *bench) {
		b.add(t, "a", "broken: no good")
		b.addEnsemble(t, "e", "a")
	})
	err := b.Load(t.Context(), "e", control.Request{})
	const want = "load failed for model 'e': ensemble 'e' depends on 'a' which has no loaded version. " +
		"Model 'a' loading failed with error: version 1 is at UNAVAILABLE state: Internal: broken: no good;\n"
	if err == nil || err.Error() != want {
		t.Errorf("load = %v\nwant %s", err, want)
	}
}

func TestEnsembleWithBrokenConfigKeepsTheOld(t *testing.T) {
	b := start(t, control.Options{Mode: control.Explicit, Reload: control.OnSave, LoadModels: []string{"e"}}, twoAndEnsemble(t))
	b.addEnsemble(t, "e", "a", "nosuch")
	b.dir.Look()
	b.until(t, "the failure", func() bool { s, _ := b.Status("e"); return s.LoadError != "" })
	b.wantAnswer(t, "e", "")
}

func TestCirclesOfEnsembles(t *testing.T) {
	b := start(t, control.Options{Mode: control.Explicit}, func(b *bench) {
		b.addEnsemble(t, "e1", "e2")
		b.addEnsemble(t, "e2", "e1")
		b.addEnsemble(t, "e3", "e3")
		b.addEnsemble(t, "e4", "e1")
	})
	for name, want := range map[string]string{
		"e1": "circular dependency between ensembles: e1 -> ... -> e2 -> e1",
		"e3": "circular dependency between ensembles: e3 -> ... -> e3 -> e3",
		"e4": "circular dependency between ensembles: e1 -> ... -> e2 -> e1",
	} {
		err := b.Load(t.Context(), name, control.Request{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("load of %s = %v, want %s", name, err, want)
		}
	}
}

// A running request of an ensemble succeeds even if one of its models is unloaded meanwhile.
func TestUnloadWaitsForRequestsInEnsembles(t *testing.T) {
	inFirst, goOn := make(chan struct{}), make(chan struct{})
	b := start(t, control.Options{Mode: control.Explicit, LoadModels: []string{"e"}}, func(b *bench) {
		twoAndEnsemble(t)(b)
		b.fake.OnExecute = func(_ context.Context, spec backend.Spec, batch *backend.Batch) {
			if spec.Name == "a" {
				close(inFirst)
				<-goOn
			}
			r := batch.Requests[0]
			out := r.Inputs[0]
			out.Name = "OUT"
			resp := &infer.Response{Final: true}
			resp.Outputs = append(resp.Outputs, out)
			batch.Respond(0, resp)
		}
	})
	ended := make(chan error)
	go func() {
		_, err := b.ask("e", infer.Latest)
		ended <- err
	}()
	<-inFirst
	if err := b.Unload("b", false); err != nil {
		t.Fatal(err)
	}
	b.wantError(t, "b", "Request for unknown model: 'b' has no available versions")
	b.wantIndex(t, "a/1 READY, b/1 UNLOADING, e/1 UNLOADING")
	close(goOn)
	if err := <-ended; err != nil {
		t.Errorf("the request that was on its way: %v", err)
	}
	b.untilIndex(t, "a/1 READY, b/1 UNAVAILABLE (unloaded), e/1 UNAVAILABLE (unloaded)")
}
