package workspace

import (
	"fmt"
	"testing"

	"conch/engine/kserve/enginepb"
)

func TestCPUThatIsUsedIsNotZero(t *testing.T) {
	for n, want := range map[float64]string{
		0: "0", 0.0004: "0.01", 0.034: "0.02", 0.2: "0.2", 0.24: "0.2", 0.31: "0.2", 0.4: "0.5", 0.9: "1", 1.2: "1", 41.6: "42", 612: "612",
	} {
		if got := fmt.Sprintf("%.3g", roundPercent(n)); got != want {
			t.Errorf("%v is told as %s, want %s", n, got, want)
		}
	}
}

// Only a model with instances has memory, so the others do not lengthen the wait for its turn.
func TestOnlyModelsWithInstancesHaveATurn(t *testing.T) {
	shown := &side{}
	s := &openRepository{w: &Workspace{}, side: shown}
	s.running.models = map[string]*enginepb.Model{"unloaded": {}, "loaded": {Instances: 2}}
	if got := s.loaded(shown); len(got) != 1 || got[0] != "loaded" {
		t.Errorf("in turn are %v", got)
	}
	if got := s.loaded(&side{}); got != nil {
		t.Errorf("of an engine that is not shown: %v", got)
	}
}
