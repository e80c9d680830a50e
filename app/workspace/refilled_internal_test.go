package workspace

import (
	"testing"

	"conch/app/language"
	"conch/configedit/modelconfig"
	"conch/repo/scan"
)

// TestRefilled: a model whose last version was put back before a look at the folder, or after one, does not wait for a version any more.
func TestRefilled(t *testing.T) {
	full := language.New(scan.New("../../examples/repository").Scan(nil), nil, language.Around{})
	empty := language.Served(map[string]*modelconfig.ModelConfig{"digits": {Name: "digits"}}, nil)
	for name, seen := range map[string]bool{"before": false, "after": true} {
		t.Run(name, func(t *testing.T) {
			s := &openRepository{w: &Workspace{}, disk: full, arrivals: newArrivals()}
			u := &Stay{s: s}
			u.Emptied("digits")
			if seen {
				s.noteEmptied(empty)
			}
			u.Refilled("digits")
			s.noteEmptied(full)
			s.noteEmptied(empty) // somebody deletes it later
			if s.arrivals.waiting["digits"] {
				t.Error("it is loaded as soon as it has a version again")
			}
		})
	}
}
