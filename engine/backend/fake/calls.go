package fake

import (
	"context"
	"strings"

	"conch/engine/backend"
	"conch/engine/infer"
)

// Calls begins the text of a model file whose model asks another for its answers: the one whose name follows. The other's
// outputs are its own.
const Calls = "calls "

// calling is an instance of such a model.
type calling struct{ *instance }

var _ backend.Caller = calling{}

// Calls implements backend.Caller.
func (in calling) Calls(models infer.Handler) {
	in.models = models
	if hook := in.model.backend.OnCalls; hook != nil {
		hook(models)
	}
}

// executeCalls sends each request on. Its answer has the memory of its own.
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
