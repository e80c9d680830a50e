package language_test

import (
	"strings"
	"testing"

	"conch/app/language"
	"conch/repo/scan"
)

// TestDiagnoseUse: the diagnostics of an ensemble because of a model are found by their subject. It
// does not matter that a message has the model's name in it, as the name of a tensor.
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
	plain(t, root, "tells", ensemble) // the model has the type that its input lacks
	plain(t, root, "other", strings.Replace(ensemble, `name: "x" dims`, `name: "x" data_type: TYPE_FP32 dims`, 1)+
		`input { name: "x" data_type: TYPE_FP32 dims: [ -3 ] }`)
	a := language.New(scan.New(root).Scan(nil), nil, language.Around{})
	for name, want := range map[string]bool{"tells": true, "other": false} {
		user, _ := a.Model(name)
		all, own := a.Diagnose(user), a.DiagnoseUse(user, "x")
		if len(all) == 0 || (len(own) > 0) != want {
			t.Errorf("%s: %v of %v", name, own, all)
		}
	}
}
