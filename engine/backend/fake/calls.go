package fake

import (
	"context"
	"strings"

	"conch/engine/backend"
	"conch/engine/infer"
)

// Calls begins the text of a model file whose model calls another model. The other model's name follows. The model returns
// the other model's outputs.
const Calls = "calls "

// calling is an instance of a model that calls another.
type calling struct{ *instance }

var _ backend.Caller = calling{}

// Calls implements backend.Caller.
func (in calling) Calls(models infer.Handler) {
	in.models = models
	if hook := in.model.backend.OnCalls; hook != nil {
		hook(models)
	}
}

// executeCalls sends each request to the other model, and copies the answer.
func (in *instance) executeCalls(ctx context.Context, batch *backend.Batch) {
	for i, r := range batch.Requests {
		next := &infer.Request{Model: strings.TrimPrefix(in.model.content, Calls), Version: infer.Latest, Inputs: r.Inputs}
		answer := &infer.Response{Final: true}
		err := in.models.Infer(ctx, next, func(resp *infer.Response) error {
			for _, out := range resp.Outputs {
				out.Data = append([]byte(nil), out.Data...)
				answer.Outputs = append(answer.Outputs, out)
			}
			return nil
		})
		if err != nil {
			batch.Fail(i, err)
			continue
		}
		batch.Respond(i, answer)
	}
}
