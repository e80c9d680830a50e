package workspace

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"conch/app/api"
)

// The sums over all models are those of a count from nothing, whatever changed before.
func TestTallyIsTheSumOfAllModels(t *testing.T) {
	w := world{models: map[string]*api.ModelSummary{}, problems: map[string][]*api.FileProblems{}}
	random := rand.New(rand.NewPCG(1, 2))
	severities := []api.Diagnostic_Severity{api.Diagnostic_SEVERITY_ERROR, api.Diagnostic_SEVERITY_WARNING}
	for range 2000 {
		var c change
		name := fmt.Sprint("model_", random.IntN(8))
		switch random.IntN(3) {
		case 0:
			w.setModel(name, nil, &c)
		case 1:
			w.setModel(name, &api.ModelSummary{Name: name, Errors: random.Uint32N(3), Warnings: random.Uint32N(3)}, &c)
		default:
			var list []*api.FileProblems
			for range random.IntN(3) {
				d := &api.Diagnostic{Severity: severities[random.IntN(2)]}
				list = append(list, &api.FileProblems{Diagnostics: []*api.Diagnostic{d}})
			}
			w.setProblems(name, list, &c)
		}
		var want counts
		for name, m := range w.models {
			want.errors, want.warnings = want.errors+m.Errors, want.warnings+m.Warnings
			if slices.ContainsFunc(w.problems[name], hasError) {
				want.models++
			}
		}
		if w.tally.all != want {
			t.Fatalf("counted %+v, there are %+v", w.tally.all, want)
		}
	}
}
