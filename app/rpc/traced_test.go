//go:build unix

package rpc_test

import (
	"testing"

	"connectrpc.com/connect"

	"conch/app/api"
	"conch/app/apptest"
)

// TestTrace sends a drawing through the ensemble, and asks for the trace of the request and the
// tensors between the steps.
func TestTrace(t *testing.T) {
	w := apptest.OpenExamples(t)
	w.Until(t, "the models are ready", apptest.AllReady)
	input := &api.InferInput{Name: "IMAGE", Datatype: "UINT8", Shape: []int64{1, 28, 28}, Data: &api.InferInput_Raw{Raw: make([]byte, 28*28)}}
	plain := apptest.Call(t, w.Try.Infer, &api.InferRequest{Model: "read_digit", Inputs: []*api.InferInput{input}})
	if plain.TraceId != 0 || plain.Span.GetEndedNs() == 0 || len(plain.Steps) != 2 {
		t.Fatalf("%v", plain)
	}
	got := apptest.Call(t, w.Try.Infer, &api.InferRequest{Model: "read_digit", Inputs: []*api.InferInput{input}, KeepTensors: true})
	for _, step := range got.Steps {
		runs := step.Span.GetExecutions()
		if len(runs) != 1 || runs[0].Instance == "" || runs[0].Items != 1 || runs[0].StartNs < step.Span.QueuedNs {
			t.Errorf("step %d: %v", step.Step, step.Span)
		}
	}
	kept := apptest.Call(t, w.Try.ListTracedTensors, &api.ListTracedTensorsRequest{TraceId: got.TraceId, MaxBytes: 16})
	between := 0
	for _, traced := range kept.Tensors {
		if traced.Output && len(traced.Path) == 1 && traced.Path[0] == 0 && traced.Tensor.Name == "prepared" {
			between++
			if traced.ByteSize != 4*64 || len(traced.Tensor.Raw) != 16 {
				t.Errorf("%v", traced)
			}
		}
	}
	if between != 1 {
		t.Errorf("%d tensors went from step 0: %v", between, kept.Tensors)
	}
	apptest.Refused(t, w.Try.ListTracedTensors, &api.ListTracedTensorsRequest{TraceId: 1 << 40}, connect.CodeNotFound)
}
