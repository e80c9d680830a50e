package engine_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"conch/engine/backend"
	"conch/engine/backend/fake"
	"conch/engine/infer"
)

// An error among the responses of a decoupled model is passed on to those who take more responses after it, and ends the
// request of others.
func TestErrorBetweenResponses(t *testing.T) {
	b := &fake.Backend{OnExecute: func(_ context.Context, _ backend.Spec, batch *backend.Batch) {
		to := batch.Later(0)
		go func() {
			wrong := errors.New("in the middle")
			if to.Send(&infer.Response{Err: wrong}) != nil {
				to.Fail(wrong)
				return
			}
			_ = to.Send(&infer.Response{Final: true})
		}()
	}}
	e := calling(t, b, "model_transaction_policy { decoupled: true }", map[string]string{"m": "end"})
	for keepsOn, want := range map[bool]string{true: "[in the middle <nil>] <nil>", false: "[] in the middle"} {
		r, got := request("m", 1), []error{}
		r.KeepsOn = keepsOn
		err := e.Infer(t.Context(), r, func(resp *infer.Response) error {
			got = append(got, resp.Err)
			return nil
		})
		if told := fmt.Sprint(got, " ", err); told != want {
			t.Errorf("keeps on: %v: %s, want %s", keepsOn, told, want)
		}
	}
}
