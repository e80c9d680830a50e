package sched_test

import (
	"testing"
	"testing/synctest"
	"time"

	"conch/engine/infer"
	"conch/engine/sched"
	"conch/engine/tensor"
)

// shaped returns a request with an input of this shape.
func shaped(id string, shape ...int64) *infer.Request {
	r := request(id, shape[0])
	r.Inputs[0].Shape = shape
	return r
}

// behind queues requests while another keeps the only instance busy, and returns their batches.
func behind(t *testing.T, rules sched.Batching, requests ...*infer.Request) [][]string {
	t.Helper()
	var batches [][]string
	synctest.Test(t, func(t *testing.T) {
		w := &worker{takes: time.Second}
		queueUp(t, sched.NewDynamic([]sched.Executor{w}, rules, &gauge{}), append([]*infer.Request{request("busy", 1)}, requests...)...)
		batches = w.batches[1:]
	})
	return batches
}

// Only the shapes of ragged inputs are not compared (docs/triton/schedulers.md, "What may run
// together").
func TestDynamicRaggedInputs(t *testing.T) {
	second := func(r *infer.Request, shape ...int64) *infer.Request {
		r.Inputs = append(r.Inputs, tensor.Tensor{Name: "PLAIN", Type: tensor.FP32, Shape: shape})
		return r
	}
	ragged := sched.Batching{MaxBatch: 8, Ragged: map[string]bool{"IN": true}}
	got := behind(t, ragged, shaped("a", 1, 3), shaped("b", 2, 7), shaped("c", 1, 0))
	if len(got) != 1 || len(got[0]) != 3 {
		t.Errorf("ragged inputs ran as %v, want together", got)
	}
	got = behind(t, ragged, second(shaped("a", 1, 3), 1, 4), second(shaped("b", 1, 7), 1, 4), second(shaped("c", 1, 7), 1, 5))
	if len(got) != 2 || len(got[0]) != 2 {
		t.Errorf("batches %v, want c alone: its other input is not ragged", got)
	}
	got = behind(t, sched.Batching{MaxBatch: 8}, shaped("a", 1, 3), shaped("b", 1, 7))
	if len(got) != 2 {
		t.Errorf("batches %v, want each alone: nothing is ragged", got)
	}
}

// Shape tensors are compared by content (docs/triton/schedulers.md, "What may run together").
func TestDynamicShapeTensorsByContent(t *testing.T) {
	with := func(id string, content ...byte) *infer.Request {
		r := request(id, 1)
		r.Inputs = append(r.Inputs, tensor.Tensor{Name: "SHAPE", Type: tensor.Uint8, Shape: tensor.Shape{1, 2}, Data: content})
		return r
	}
	got := behind(t, sched.Batching{MaxBatch: 8, ByContent: map[string]bool{"SHAPE": true}}, with("a", 1, 2), with("b", 1, 2), with("c", 1, 3))
	if len(got) != 2 || len(got[0]) != 2 {
		t.Errorf("batches %v, want c alone", got)
	}
}

// Requests run together only with others that have the same inputs; the order of the inputs does
// not matter (docs/triton/schedulers.md, "What may run together").
func TestDynamicOptionalInputs(t *testing.T) {
	with := func(id string, names ...string) *infer.Request {
		r := request(id, 1)
		r.Inputs = nil
		for _, name := range names {
			r.Inputs = append(r.Inputs, tensor.Tensor{Name: name, Type: tensor.FP32, Shape: tensor.Shape{1, 2}})
		}
		return r
	}
	got := behind(t, sched.Batching{MaxBatch: 8}, with("a", "X", "Y"), with("b", "Y", "X"), with("c", "X"), with("d", "X"), with("e", "X", "Z"))
	if len(got) != 3 || len(got[0]) != 2 || len(got[1]) != 2 {
		t.Errorf("batches %v, want [a b] [c d] [e]", got)
	}
}
