package backendtest

import (
	"testing"

	"conch/engine/backend"
	"conch/engine/tensor"
)

// testReady: an instance of a model that has nothing to say is ready, and one that says it is not ready says why.
func testReady(t *testing.T, s Subject) {
	p, asked := load(t, s, s.Identity(t, Shape{Type: tensor.FP32, Dims: []int64{4}, MaxBatch: 8})).Instance.(backend.Prober)
	if asked != (s.Unready != nil) {
		t.Errorf("its instances are asked whether they are ready: %v, its Subject has Unready: %v", asked, s.Unready != nil)
	}
	if !asked || s.Unready == nil {
		t.Skip("this backend's models have no say in whether they are ready")
	}
	if err := p.Ready(t.Context()); err != nil {
		t.Errorf("a model that serves is not ready: %v", err)
	}
	if err := load(t, s, s.Unready(t)).Instance.(backend.Prober).Ready(t.Context()); err == nil || err.Error() == "" {
		t.Errorf("a model that is not ready says: %v", err)
	}
}
