package sched

import (
	"fmt"
	"strconv"

	"conch/engine/infer"
)

// longestName is how long a correlation ID may be that is a string.
const longestName = 128

// check refuses what no sequence can take; the sentences are Triton's, without its usual prefix, and nothing is counted
// (triton-runtime D7).
func (s *Sequence) check(r *infer.Request) error {
	switch unnamed := r.Sequence.ID == 0 && r.Sequence.Name == ""; {
	case s.rules.Fault != nil:
		return s.rules.Fault
	case r.Batch > 1:
		return s.refuse("inference request to model '%s' must specify batch-size 1 due to requirements of sequence batcher", s.rules.Model)
	case unnamed && s.rules.Iterative:
		return nil
	case unnamed:
		return s.refuse("inference request to model '%s' must specify a non-zero or non-empty correlation ID", s.rules.Model)
	case len(r.Sequence.Name) > longestName:
		err := s.refuse("string correlation ID cannot be longer than %d characters", longestName)
		err.Code = infer.Unsupported
		return err
	case s.rules.IDs == Numbers && r.Sequence.Name != "":
		return s.refuse("inference request to model '%s' has correlation ID '%s', which is a string, but the model takes a number", s.rules.Model, r.Sequence.Name)
	case s.rules.IDs == Names && r.Sequence.Name == "":
		return s.refuse("inference request to model '%s' has correlation ID %d, which is a number, but the model takes a string", s.rules.Model, r.Sequence.ID)
	}
	return nil
}

func (s *Sequence) refuse(format string, args ...any) *infer.Error {
	return &infer.Error{Code: infer.InvalidArg, Message: fmt.Sprintf(format, args...), Fate: infer.TurnedAway}
}

// named is a correlation ID as people gave it.
func named(id infer.Sequence) string {
	if id.Name != "" {
		return id.Name
	}
	return strconv.FormatUint(id.ID, 10)
}
