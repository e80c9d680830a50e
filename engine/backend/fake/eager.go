package fake

import (
	"context"

	"conch/engine/backend"
)

// eager is an instance of a Backend that has Ahead set: batches wait in it for the one that runs.
type eager struct {
	*Mortal
	runs chan struct{} // has an element while a batch runs
}

var _ backend.Eager = eager{}

// Ahead implements backend.Eager.
func (in eager) Ahead() int { return in.model.backend.Ahead }

// Execute runs the batch after those before it.
func (in eager) Execute(ctx context.Context, batch *backend.Batch) {
	select {
	case in.runs <- struct{}{}:
	case <-in.died:
		return
	case <-ctx.Done():
		return
	}
	defer func() { <-in.runs }()
	if in.Err() != nil {
		return
	}
	batch.Start()
	in.Mortal.Execute(ctx, batch)
	batch.InferDone()
}
