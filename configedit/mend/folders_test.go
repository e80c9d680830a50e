package mend_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"conch/build/golden"
	"conch/configedit/check"
	"conch/configedit/check/checktest"
	"conch/configedit/diag"
)

// site is a model in the repository of a golden case.
type site struct {
	files map[string]string
	model string
}

func (s site) config() string { return s.files[s.model+"/config.pbtxt"] }

// errors returns the errors of the model with another config.
func (s site) errors(t *testing.T, src string) []diag.Diagnostic {
	files := maps.Clone(s.files)
	files[s.model+"/config.pbtxt"] = src
	r := checktest.New(t, files)
	m, _ := r.Model(s.model)
	return errorsOf(slices.Concat(m.Syntax, check.Check(m, r)))
}

// sites returns the models of the golden cases of checks in which nothing is wrong.
func sites(t *testing.T) []site {
	var list []site
	for _, c := range golden.Cases(t, "../check/testdata") {
		for _, model := range checktest.New(t, c.Files()).Names() {
			s := site{files: c.Files(), model: model}
			if src := s.config(); src != "" && len(s.errors(t, src)) == 0 {
				list = append(list, s)
			}
		}
	}
	return list
}

// TestMutationsInFolders deletes one character or one token of configs that have model files and other models beside
// them, and measures how many errors this one mistake gives.
func TestMutationsInFolders(t *testing.T) {
	all := sites(t)
	r := rand.New(rand.NewPCG(10, 4))
	count, one, two := 0, 0, 0
	for count < mutants {
		s := all[r.IntN(len(all))]
		m, ok := mutate(r, s.config())
		if !ok {
			continue
		}
		n := len(s.errors(t, m.src))
		if n == 0 {
			continue // another config, which Triton takes too
		}
		count++
		if n == 1 {
			one++
		}
		if n <= 2 {
			two++
		}
	}
	t.Logf("of %d mutants %.1f %% have exactly one error, %.1f %% at most two", count,
		100*float64(one)/float64(count), 100*float64(two)/float64(count))
	if 100*one < floorOne*count || 1000*two < 999*count {
		t.Errorf("%d of %d mutants have exactly one error, and %d at most two", one, count, two)
	}
}
