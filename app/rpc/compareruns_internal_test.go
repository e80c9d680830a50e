package rpc

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"

	"conch/engine/kserve/kservepb"
)

// takes is a model that takes so long for each answer, and longer for the first one.
type takes struct {
	kservepb.GRPCInferenceServiceClient
	time, first time.Duration
}

func (m *takes) ModelInfer(context.Context, *kservepb.ModelInferRequest, ...grpc.CallOption) (*kservepb.ModelInferResponse, error) {
	time.Sleep(m.time + m.first)
	m.first = 0
	return &kservepb.ModelInferResponse{}, nil
}

// TestSlowModelsAreCompared: of models that leave time for few runs the number of those is told, and no quartiles.
func TestSlowModelsAreCompared(t *testing.T) {
	for took, want := range map[time.Duration]int{4 * time.Second: 1, 1100 * time.Millisecond: 3, 10 * time.Millisecond: 30} {
		synctest.Test(t, func(t *testing.T) {
			sides := [2]*comparedSide{}
			for i := range sides {
				sides[i] = &comparedSide{client: &takes{time: took}, request: &kservepb.ModelInferRequest{}}
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

// TestFirstRunsDoNotCount: a first run that takes longer than all others may, as on a GPU whose programs are made then, leaves the others their time.
func TestFirstRunsDoNotCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sides := [2]*comparedSide{}
		for i := range sides {
			sides[i] = &comparedSide{client: &takes{time: 10 * time.Millisecond, first: 2 * longestComparison}, request: &kservepb.ModelInferRequest{}}
		}
		if runs := compareRuns(t.Context(), sides, usualRuns); runs != usualRuns {
			t.Errorf("%d runs", runs)
		}
		if low, median, high := sides[0].times(); low != 10 || median != 10 || high != 10 {
			t.Errorf("%v, %v, %v", low, median, high)
		}
	})
}
