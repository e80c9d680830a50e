package model

import (
	"context"

	"conch/engine/infer"
)

// held is an ensemble with the versions of its steps, which a request has entered while it waits for its turn.
type held struct {
	*Version
	steps *infer.Held
}

var (
	_ infer.Holder  = (*Version)(nil)
	_ infer.Entered = held{}
)

// Hold enters the versions of an ensemble's steps for one request. For any other model it changes nothing.
func (v *Version) Hold() infer.Entered {
	if v.flow == nil {
		return v
	}
	h := held{v, &infer.Held{}}
	if c, caches := v.requests.behind.(*cached); caches {
		h.steps.Swaps = c.swaps.Load() // before they are entered: an answer of a version that was replaced must not be found later
	}
	h.steps.Steps = v.flow.Hold()
	return h
}

// Infer serves the request that holds the versions.
func (h held) Infer(ctx context.Context, r *infer.Request, sink infer.Sink) error {
	r.Held = h.steps
	return h.Version.Infer(ctx, r, sink)
}

// Leave leaves the ensemble and the versions of its steps.
func (h held) Leave() {
	for i := range h.steps.Steps {
		h.steps.Steps[i].Leave()
	}
	h.Version.Leave()
}
