package backendtest

import (
	"testing"

	"conch/engine/backend"
	"conch/engine/tensor"
)

// testMortal: an instance that has died says so and why, answers further requests with errors or, if it is Eager, begins none, and can
// be closed. Another
// instance can be made in its place, and other instances continue.
func testMortal(t *testing.T, s Subject) {
	l := load(t, s, s.Identity(t, Shape{Type: tensor.FP32, Dims: []int64{4}, MaxBatch: 8}))
	if _, mortal := l.Instance.(backend.Mortal); mortal != (s.Kill != nil) {
		t.Errorf("its instances may die: %v, its Subject has Kill: %v", mortal, s.Kill != nil)
	}
	if s.Kill == nil {
		t.Skip("this backend's instances live as long as the engine")
	}
	r := request("IN", tensor.FP32, tensor.Shape{1, 4}, 3)
	victim := instance(t, l.Model, "victim")
	mortal := victim.(backend.Mortal)
	select {
	case <-mortal.Died():
		t.Fatal("it is dead from the beginning")
	default:
	}
	s.Kill(t, victim)
	<-mortal.Died()
	if mortal.Err() == nil {
		t.Error("it does not say why it died")
	}
	if execute(t.Context(), t, victim, r)[0].err == nil {
		t.Error("a dead instance answers")
	}
	wantCopy(t, execute(t.Context(), t, l.Instance, r)[0], "OUT", r.Inputs[0])
	wantCopy(t, execute(t.Context(), t, instance(t, l.Model, "victim"), r)[0], "OUT", r.Inputs[0])
}
