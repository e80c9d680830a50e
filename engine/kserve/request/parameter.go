package request

import (
	"errors"
	"strings"

	"conch/engine/infer"
	"conch/engine/kserve"
)

// Value is the value of a parameter in its transport's form. Its methods read it as the type that a parameter needs.
// An *infer.Error is the refusal itself. Any other error is the reason in the wire's sentence: the expected type, or
// the problem.
type Value interface {
	Bool() (bool, error)
	// SequenceID returns a number or a text; the other one is zero.
	SequenceID() (number uint64, text string, err error)
	Priority() (uint64, error)
	// Timeout returns microseconds.
	Timeout() (uint64, error)
	// Custom returns the value of a model's own parameter: bool, int64, float64 or string.
	Custom() (any, error)
	// Size returns the memory of the value in bytes.
	Size() int
}

// Parameter adds a parameter of the request (docs/triton/requests.md, "Checks").
func (a *Assembler) Parameter(name string, v Value) error {
	var err error
	switch name {
	case "sequence_id":
		a.Sequence.ID, a.Sequence.Name, err = v.SequenceID()
		if err == nil && len(a.Sequence.Name) > infer.LongestSequence {
			a.Sequence.Name = ""
			return infer.Errorf(infer.Unsupported, "string correlation ID cannot be longer than %d characters", infer.LongestSequence)
		}
	case "sequence_start":
		a.Sequence.Start, err = v.Bool()
	case "sequence_end":
		a.Sequence.End, err = v.Bool()
	case "priority":
		a.Priority, err = v.Priority()
	case "timeout":
		var us uint64
		us, err = v.Timeout()
		a.Timeout = kserve.Microseconds(us)
	case a.wire.own:
		*a.wire.ownField(a), err = v.Bool()
	default:
		return a.Custom(name, v)
	}
	if err != nil {
		return a.wire.refuse(a.wire.mistyped, name, err)
	}
	return nil
}

// Custom adds a model's own parameter, whatever its name means in other requests.
func (a *Assembler) Custom(name string, v Value) error {
	if strings.HasPrefix(name, reservedPrefix) {
		return infer.Errorf(infer.InvalidArg, "%s", a.wire.reserved)
	}
	value, err := v.Custom()
	if err != nil {
		return a.wire.refuse(a.wire.customMistyped, name, err)
	}
	if err := a.charge(v.Size()); err != nil {
		return err
	}
	a.setParameter(name, value)
	return nil
}

// refuse returns the refusal of a parameter, unless the reason is a refusal itself.
func (w *Wire) refuse(s sentence, name string, reason error) error {
	var refusal *infer.Error
	if errors.As(reason, &refusal) {
		return reason
	}
	return infer.Errorf(s.code, s.format, name, reason)
}
