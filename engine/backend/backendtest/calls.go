package backendtest

import (
	"context"
	"strings"
	"testing"

	"conch/engine/backend"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// testCalls: an instance calls other models with the context of its execution, and answers with their outputs and errors.
func testCalls(t *testing.T, s Subject) {
	if s.Calls == nil {
		in := load(t, s, s.Identity(t, Shape{Type: tensor.FP32, Dims: []int64{4}, MaxBatch: 8})).Instance
		if _, calls := in.(backend.Caller); calls {
			t.Error("the backend's instances call other models, and its Subject has no Calls")
		}
		t.Skip("this backend's instances call no other models")
	}
	in := load(t, s, s.Calls(t, "other")).Instance
	other := &called{}
	in.(backend.Caller).Calls(other)
	ctx, cancel := context.WithCancel(t.Context())
	r := request("IN", tensor.Int32, tensor.Shape{1, 2}, 5)
	wantCopy(t, execute(ctx, t, in, r)[0], "OUT", r.Inputs[0])
	if other.name != "other" {
		t.Errorf("it called %q", other.name)
	}
	other.err = infer.Errorf(infer.NotFound, "no such model")
	if a := execute(ctx, t, in, r)[0]; a.err == nil || !strings.Contains(a.err.Error(), other.err.Error()) {
		t.Errorf("the other model's error became %v", a.err)
	}
	cancel()
	if other.err = nil; execute(ctx, t, in, r)[0].err == nil || other.ctx.Err() == nil {
		t.Error("a call continues after its request was cancelled")
	}
}

// called is the other model: it copies.
type called struct {
	name string
	ctx  context.Context
	err  error
}

func (c *called) Infer(ctx context.Context, r *infer.Request, sink infer.Sink) error {
	c.name, c.ctx = r.Model, ctx
	if c.err != nil {
		return c.err
	}
	if err := ctx.Err(); err != nil {
		return infer.Errorf(infer.Cancelled, "%v", err)
	}
	out := r.Inputs[0]
	out.Name = "OUT"
	return sink(&infer.Response{Outputs: []tensor.Tensor{out}, Final: true})
}
