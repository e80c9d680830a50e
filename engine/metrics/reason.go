package metrics

import (
	"context"
	"errors"

	"conch/engine/infer"
)

// Reason is the label of nv_inference_request_failure (docs/triton/metrics.md, "Families").
type Reason int

// The reasons, in the order in which Triton lists them.
const (
	Rejected Reason = iota // left the queue because of a timeout
	Canceled               // one L, as Triton writes it
	Backend                // the execution failed
	Other
	reasons
)

// String returns the label's value.
func (r Reason) String() string {
	return [reasons]string{"REJECTED", "CANCELED", "BACKEND", "OTHER"}[r]
}

// ReasonOf returns the reason of an error: a cancelled request, a request that waited too long, or
// a failed execution.
func ReasonOf(err error) Reason {
	if infer.FateOf(err) == infer.Expired {
		return Rejected
	}
	if errors.Is(err, context.Canceled) || infer.CodeOf(err) == infer.Cancelled {
		return Canceled
	}
	return Backend
}
