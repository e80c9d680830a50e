package rpc

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"

	"conch/app/workspace"
	"conch/engine/kserve/kservepb"
)

// stoppedEngine answers nothing for a while, as one whose process was stopped.
type stoppedEngine struct {
	takes
	until time.Time
}

func (e *stoppedEngine) ModelConfig(context.Context, *kservepb.ModelConfigRequest, ...grpc.CallOption) (*kservepb.ModelConfigResponse, error) {
	time.Sleep(time.Until(e.until))
	return &kservepb.ModelConfigResponse{}, nil
}

// TestTheWaitForTheEngineIsInTheTime: a request to an engine that is stopped takes as long as people waited for its answer.
func TestTheWaitForTheEngineIsInTheTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := &stoppedEngine{takes{time: time.Millisecond}, time.Now().Add(12 * time.Second)}
		a := &answering{held: &workspace.Held{Client: engine}}
		out := a.ask(t.Context(), &kservepb.ModelInferRequest{}, traceTimes)
		if took := time.Duration(out.Timings.RoundTripNs); !out.Ok || took != 12*time.Second+time.Millisecond {
			t.Errorf("%v, in %v", out, took)
		}
	})
}
