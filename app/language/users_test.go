package language_test

import (
	"strings"
	"testing"

	"conch/app/language"
	"conch/repo/scan"
)

// TestDiagnoseUse: what is said of an ensemble on account of a model is found by what it is about. That a message has the model's
// name in it, as the name of a tensor, tells nothing.
func TestDiagnoseUse(t *testing.T) {
	root := t.TempDir()
	plain(t, root, "x", `backend: "python"
input { name: "in" data_type: TYPE_FP32 dims: [ 4 ] }
output { name: "out" data_type: TYPE_FP32 dims: [ 4 ] }
`)
	ensemble := `platform: "ensemble"
input { name: "x" dims: [ 4 ] }
output { name: "o" data_type: TYPE_FP32 dims: [ 4 ] }
ensemble_scheduling { step { model_name: "x" model_version: -1 input_map { key: "in" value: "x" } output_map { key: "out" value: "o" } } }
`
	plain(t, root, "tells", ensemble) // the model tells the type that its input lacks
	plain(t, root, "other", strings.Replace(ensemble, `name: "x" dims`, `name: "x" data_type: TYPE_FP32 dims`, 1)+
		`input { name: "x" data_type: TYPE_FP32 dims: [ -3 ] }`)
	a := language.New(scan.New(root).Scan(nil), nil)
	for name, want := range map[string]bool{"tells": true, "other": false} {
		user, _ := a.Model(name)
		all, own := a.Diagnose(user), a.DiagnoseUse(user, "x")
		if len(all) == 0 || (len(own) > 0) != want {
			t.Errorf("%s: %v of %v", name, own, all)
		}
	}
}
