//go:build unix

package workspace_test

import (
	"path/filepath"
	"testing"

	"conch/app/overlay"
	"conch/app/workspace"
)

// TestWhatATextIsJudgedBy: a key changes the judgement of the ensembles that use the model, but not
// the context of its own text. A page that shows the text asks again after a change elsewhere, and
// never after its own key.
func TestWhatATextIsJudgedBy(t *testing.T) {
	root := repository(t, map[string]string{"digits": leaf, "add_sub": leaf, "pair": pair})
	w := open(t, root, noEngine)
	r := follow(t, w)
	r.until(t, "all is judged", func() bool { return len(r.models) == 3 && r.models["pair"].GetKind() == "Ensemble" })
	around := func(name string) uint64 {
		m, ok := w.Model(name)
		if !ok {
			t.Fatalf("there is no %s", name)
		}
		return m.Around
	}
	own, ensemble, other := around("digits"), around("pair"), around("add_sub")
	file := workspace.File{Model: "digits", Path: "config.pbtxt"}
	for _, text := range []string{"?", "??"} {
		d, _ := w.Draft(file)
		if _, err := w.Edit(file, overlay.Edit{Text: leaf + text, Base: overlay.Base{Version: "v", Text: leaf}, Since: d.Version}); err != nil {
			t.Fatal(err)
		}
	}
	if around("digits") != own || around("add_sub") != other || around("pair") <= ensemble {
		t.Errorf("typed in digits: digits %d, add_sub %d, pair %d; before %d, %d, %d",
			around("digits"), around("add_sub"), around("pair"), own, other, ensemble)
	}
	ensemble = around("pair")
	save(t, filepath.Join(root, "digits", "config.pbtxt"), leaf+"# saved elsewhere\n")
	w.Touch(filepath.Join(root, "digits", "config.pbtxt"))
	r.until(t, "the saved file is judged", func() bool { return r.models["digits"].Around > own && r.models["pair"].Around > ensemble })
}
