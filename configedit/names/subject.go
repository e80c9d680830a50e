package names

import (
	"fmt"

	"conch/configedit/check"
)

// Side distinguishes a model's inputs from its outputs, which may have the same names.
type Side uint8

// The sides.
const (
	// Wire is a tensor of an ensemble: there, an input, what steps hand on and an output share their names.
	Wire Side = iota
	Input
	Output
)

// Subject is what a name stands for: a model, or a tensor of one.
type Subject struct {
	Model string
	// Tensor is empty for the model itself.
	Tensor string
	Side   Side
}

// String says what it is: input "image" of digits.
func (s Subject) String() string {
	if s.Tensor == "" {
		return fmt.Sprintf("model %q", s.Model)
	}
	word := [...]string{Wire: "tensor", Input: "input", Output: "output"}[s.Side]
	return fmt.Sprintf("%s %q of %s", word, s.Tensor, s.Model)
}

// port is a tensor of a model as those see it that run the model.
func port(env check.Env, model, tensor string, side Side) Subject {
	if m, ok := env.Model(model); ok && ensemble(m) {
		side = Wire
	}
	return Subject{Model: model, Tensor: tensor, Side: side}
}

func ensemble(m *check.Model) bool { return m.Effective.GetEnsembleScheduling() != nil }
