package sched_test

import (
	"testing"

	"conch/engine/infer"
	"conch/engine/sched"
)

// An execution whose answer finds no memory has failed, and is counted as such, though its error is the one of a request that was
// turned away.
func TestFailureOfAnExecutionCounts(t *testing.T) {
	away := &infer.Error{Code: infer.Unavailable, Message: "no memory", Fate: infer.TurnedAway}
	for _, later := range []bool{false, true} {
		c := sched.NewCall(t.Context(), request("a", 1), func(*infer.Response) error { return nil })
		if later {
			c.Later().Fail(away)
		} else {
			c.Fail(away)
		}
		if err := c.End(); infer.FateOf(err) != infer.Failed || infer.CodeOf(err) != infer.Unavailable || err.Error() != "no memory" {
			t.Errorf("%v, %v", err, infer.FateOf(err))
		}
	}
}
