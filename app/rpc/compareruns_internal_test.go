package rpc

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"

	"conch/engine/kserve/kservepb"
)

// takes is a model that takes so long for each answer.
type takes struct {
	kservepb.GRPCInferenceServiceClient
	time time.Duration
}

func (m takes) ModelInfer(context.Context, *kservepb.ModelInferRequest, ...grpc.CallOption) (*kservepb.ModelInferResponse, error) {
	time.Sleep(m.time)
	return &kservepb.ModelInferResponse{}, nil
}

// TestSlowModelsAreCompared: of models that leave time for few runs the number of those is told, and no quartiles.
func TestSlowModelsAreCompared(t *testing.T) {
	for took, want := range map[time.Duration]int{4 * time.Second: 1, 1100 * time.Millisecond: 2, 10 * time.Millisecond: 30} {
		synctest.Test(t, func(t *testing.T) {
			sides := [2]*comparedSide{}
			for i := range sides {
				sides[i] = &comparedSide{client: takes{time: took}, request: &kservepb.ModelInferRequest{}}
			}
			runs := compareRuns(t.Context(), sides, usualRuns)
			low, median, high := sides[0].times()
			ms := float64(took.Milliseconds())
			if runs != want || median != ms || (low == ms) != (want >= fewestForQuarters) || (high == ms) != (want >= fewestForQuarters) {
				t.Errorf("%v: %d runs, %v, %v, %v", took, runs, low, median, high)
			}
		})
	}
}
