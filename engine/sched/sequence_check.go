package sched

import (
	"fmt"
	"strconv"

	"conch/engine/infer"
	"conch/engine/tensor"
)

// check refuses a request that no sequence can take (docs/triton/sequences.md, "What is refused").
// The sentences are Triton's. They do not begin with the request ID, except the one about the type
// of the correlation ID. These requests are not counted.
func (s *Sequence) check(r *infer.Request) error {
	switch unnamed := !inSequence(r); {
	case s.rules.Fault != nil:
		return s.rules.Fault
	case len(r.Sequence.Name) > infer.LongestSequence:
		err := s.refuse("string correlation ID cannot be longer than %d characters", infer.LongestSequence)
		err.Code = infer.Unsupported
		return err
	case s.rules.IDs.Control != "" && (!unnamed || s.rules.Iterative) && (r.Sequence.Name != "") != (s.rules.IDs.Type == tensor.Bytes):
		return s.wrongType(r)
	case r.Batch > 1:
		return s.refuse("inference request to model '%s' must specify batch-size 1 due to requirements of sequence batcher", s.rules.Model)
	case unnamed && !s.rules.Iterative:
		return s.refuse("inference request to model '%s' must specify a non-zero or non-empty correlation ID", s.rules.Model)
	}
	return nil
}

// inSequence reports whether the client has given a correlation ID.
func inSequence(r *infer.Request) bool { return r.Sequence.ID != 0 || r.Sequence.Name != "" }

// wrongType returns an error for an ID of another type than the model's control (Triton's ValidateCorrelationId, since January 2025).
// An iterative sequence without an ID gets a number.
func (s *Sequence) wrongType(r *infer.Request) error {
	given := tensor.Uint64
	if r.Sequence.Name != "" {
		given = tensor.Bytes
	}
	return s.refuse("%ssequence batching control '%s' data-type is '%s', but model '%s' expects '%s'",
		r.ErrorPrefix(), s.rules.IDs.Control, given, s.rules.Model, s.rules.IDs.Type)
}

func (s *Sequence) refuse(format string, args ...any) *infer.Error {
	return &infer.Error{Code: infer.InvalidArg, Message: fmt.Sprintf(format, args...), Fate: infer.TurnedAway}
}

// named returns a correlation ID as the client gave it.
func named(id infer.Sequence) string {
	if id.Name != "" {
		return id.Name
	}
	return strconv.FormatUint(id.ID, 10)
}
