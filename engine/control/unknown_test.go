package control_test

import (
	"fmt"
	"testing"

	"conch/engine/control"
	"conch/engine/infer"
)

// Names that clients ask for and that do not exist are not kept.
func TestUnknownNamesAreNotKept(t *testing.T) {
	for _, namespacing := range []bool{false, true} {
		b := start(t, control.Options{Mode: control.Explicit, LoadModels: []string{"*"}, Namespacing: namespacing}, func(b *bench) {
			b.add(t, "a", "one")
			b.addEnsemble(t, "e", "a", "missing")
		})
		b.dir.Remove(t, "e")
		b.dir.Look()
		before := b.Kept()
		for i := range 100_000 {
			name := fmt.Sprint("nobody", i)
			if _, err := b.ask(name, infer.Latest); err == nil {
				t.Fatalf("%s answers", name)
			}
			if err := b.Unload(name, true); err != nil {
				t.Fatal(err)
			}
			if i%100 > 0 { // the others read the disk
				continue
			}
			b.SetReload(name, control.Ask)
			b.SetReload(name, "")
			if err := b.Load(t.Context(), name, control.Request{}); err == nil {
				t.Fatalf("%s loaded", name)
			}
		}
		if after := b.Kept(); fmt.Sprint(after) != fmt.Sprint(before) {
			t.Errorf("namespacing %v: kept %v before, %v after 100,000 names", namespacing, before, after)
		}
		b.wantAnswer(t, "a", "one")
	}
}

// A setting for a model may come before its folder, as in a rename.
func TestReloadChosenBeforeTheModelIsThere(t *testing.T) {
	b := start(t, control.Options{Mode: control.Explicit, Reload: control.OnSave}, func(*bench) {})
	b.SetReload("a", control.Ask)
	b.add(t, "a", "one")
	b.dir.Look()
	if err := b.Load(t.Context(), "a", control.Request{}); err != nil {
		t.Fatal(err)
	}
	if status, ok := b.Manager.Status("a"); !ok || status.Reload != control.Ask {
		t.Errorf("what saved files do is %q, want %q", status.Reload, control.Ask)
	}
}
