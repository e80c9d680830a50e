package fake

import (
	"context"
	"sync"

	"conch/engine/backend"
	"conch/engine/infer"
)

// Mortal is an instance of a Backend that has Mortal set.
type Mortal struct {
	calling
	died chan struct{}

	mu  sync.Mutex // guards err
	err error
}

var (
	_ backend.Instance = (*Mortal)(nil)
	_ backend.Mortal   = (*Mortal)(nil)
	_ backend.Caller   = (*Mortal)(nil)
)

// Kill ends the instance.
func (in *Mortal) Kill(why error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.err == nil {
		in.err = why
		close(in.died)
	}
}

// Died implements backend.Mortal.
func (in *Mortal) Died() <-chan struct{} { return in.died }

// Err implements backend.Mortal.
func (in *Mortal) Err() error {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.err
}

// Execute runs the batch, unless the instance has died.
func (in *Mortal) Execute(ctx context.Context, batch *backend.Batch) {
	if err := in.Err(); err != nil {
		batch.FailAll(infer.Errorf(infer.Internal, "the instance has died: %v", err))
		return
	}
	in.instance.Execute(context.WithValue(ctx, mortalKey{}, in), batch)
}

type mortalKey struct{}

// Killable returns the instance of an execution, for OnExecute.
func Killable(ctx context.Context) *Mortal {
	in, _ := ctx.Value(mortalKey{}).(*Mortal)
	return in
}
