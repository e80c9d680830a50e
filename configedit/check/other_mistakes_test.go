package check_test

import (
	"maps"
	"slices"
	"testing"

	"conch/build/golden"
	"conch/configedit/check"
	"conch/configedit/check/checktest"
	"conch/configedit/diag"
)

// TestOtherMistakes adds a mistake at which Triton's parser stops to each golden config that has another error. The
// other error must still be reported; the least shares, in percent, are those that the check reaches.
func TestOtherMistakes(t *testing.T) {
	for added, least := range map[string]int{
		"dynamic_batchin { }":                      100, // a name that means one field only
		`parameters { key: "a" value: "b" }`:       98,  // a value of the wrong form
		"parameters { key: \"a\" value { b: 1 } }": 98,
		"priorities: 3":                            93, // a name that means nothing; it may be max_batch_size
	} {
		all, kept := 0, 0
		for _, repository := range golden.Cases(t, "testdata") {
			files := repository.Files()
			for _, model := range checktest.New(t, files).Names() {
				before, ok := errorsBeside(t, files, model, "")
				if !ok {
					continue
				}
				after, _ := errorsBeside(t, files, model, "\n"+added+"\n")
				all++
				if slices.Equal(before, after) {
					kept++
				}
			}
		}
		t.Logf("beside %s, the errors of %d of %d models are the same", added, kept, all)
		if 100*kept < least*all || all == 0 {
			t.Errorf("beside %s, the errors of only %d of %d models are the same, not %d %%", added, kept, all, least)
		}
	}
}

// errorsBeside returns the codes of a model's errors, with a tail added to its text. It returns false if the model has
// none, or has errors in the text itself.
func errorsBeside(t *testing.T, files map[string]string, model, tail string) ([]string, bool) {
	files = maps.Clone(files)
	files[model+"/config.pbtxt"] += tail
	r := checktest.New(t, files)
	m, _ := r.Model(model)
	var codes []string
	for _, d := range check.Check(m, r) {
		if d.Severity.IsError() {
			codes = append(codes, d.Code)
		}
	}
	slices.Sort(codes)
	return codes, len(codes) > 0 && !diag.HasErrors(m.Syntax) && m.Decoded.Template == nil
}
