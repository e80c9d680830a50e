//go:build unix

package rpc_test

import (
	"testing"

	"conch/app/api"
	"conch/app/apptest"
)

// TestFindTensors: tensors of models that nobody asked anything are found, with the place in the
// config that names them, also in a text that is not saved.
func TestFindTensors(t *testing.T) {
	w := apptest.OpenExamples(t)
	w.Until(t, "the models are there", func(s *apptest.Snapshot) bool { return len(s.Models) == 4 })
	found := apptest.Call(t, w.Editor.FindTensors, &api.FindTensorsRequest{Text: "probabilities"})
	if len(found.Tensors) == 0 {
		t.Fatal("nothing is found")
	}
	first := found.Tensors[0]
	if first.Name != "probabilities" || first.Path != "config.pbtxt" || first.To <= first.From || first.Detail == "" {
		t.Errorf("found %v", first)
	}
	if one := apptest.Call(t, w.Editor.FindTensors, &api.FindTensorsRequest{Text: "i", Limit: 1}); len(one.Tensors) != 1 {
		t.Errorf("one is asked for: %v", one.Tensors)
	}
}
