package python_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/backend/backendtest"
	"conch/engine/backend/python"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// remembers is a model that takes as many milliseconds as its input's first element says, and answers with the second elements of all
// that it has run. The third says what it does then.
const remembers = `
import os
import time

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def initialize(self, args):
        self.ran = []

    def execute(self, requests):
        for request in requests:
            milliseconds, name, what = request.inputs()[0].as_numpy()[0, :3]
            self.ran.append(name)
            time.sleep(float(milliseconds) / 1000)
            if what == 1:
                request.is_cancelled()
                time.sleep(1)
            elif what == 2:
                os.write(3, b"\0\0\0\0\x63" + bytes(11))
                time.sleep(10)
        ran = np.array([self.ran], np.float32)
        return [pb_utils.InferenceResponse([pb_utils.Tensor("OUT", ran)]) for _ in requests]
`

const (
	looks   = 1 // asks whether its client has left, and takes longer then
	damages = 2 // writes a damaged message
)

// ahead is a batch that waits for others.
type ahead struct {
	batch *backend.Batch
	began chan struct{} // closed when the instance has begun it
	over  chan struct{} // closed when Execute has returned
	ran   []float32     // what it was answered with
	err   error
}

// give gives an instance a batch of one request with so many elements.
func give(ctx context.Context, in backend.Instance, elements int, milliseconds, name, what float32, more ...tensor.Tensor) *ahead {
	a := &ahead{began: make(chan struct{}), over: make(chan struct{}), err: errNotBegun}
	x := floats("IN", max(elements, 3), 0)
	for i, value := range []float32{milliseconds, name, what} {
		binary.LittleEndian.PutUint32(x.Data[4*i:], math.Float32bits(value))
	}
	a.batch = backend.NewBatch([]*infer.Request{{Batch: 1, Inputs: append([]tensor.Tensor{x}, more...)}}, func(_ int, r *infer.Response) {
		a.err = nil
		for data := r.Outputs[0].Data; len(data) > 0; data = data[4:] {
			a.ran = append(a.ran, math.Float32frombits(binary.LittleEndian.Uint32(data)))
		}
		free(r)
	}, func(_ int, err error) { a.err = err })
	a.batch.OnStart(func() { close(a.began) })
	go func() {
		defer close(a.over)
		in.Execute(ctx, a.batch)
	}()
	return a
}

// entered waits until so many requests are in the instance, or in its process.
func entered(t *testing.T, in backend.Instance, count uint64) {
	t.Helper()
	waitUntil(t, func() bool { return python.Entered(in) >= count })
}

// waitUntil waits for what comes soon, however slow the machine is.
func waitUntil(t *testing.T, is func() bool) {
	t.Helper()
	for late := time.Now().Add(30 * time.Second); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(late) {
			t.Fatal("it is not so after 30 seconds")
		}
	}
}

// aMoment is for what can only be seen not to matter.
const aMoment = 20 * time.Millisecond

// tooLarge is how many elements a batch has that is not sent ahead.
const tooLarge = 1 << 19

// Batches run in the order in which they came, also when one of them is sent only when its turn comes.
func TestOrderOfSending(t *testing.T) {
	in := loadModel(t, remembers, flat(tensor.FP32))
	first := give(t.Context(), in, 3, 200, 1, 0)
	<-first.began
	large := give(t.Context(), in, tooLarge, 0, 2, 0)
	entered(t, in, 2)
	release := python.HoldSending(in)
	small := give(t.Context(), in, 3, 0, 3, 0)
	<-large.began
	time.Sleep(aMoment) // both wait to be sent then, in whatever order
	release()
	for i, a := range []*ahead{first, large, small} {
		<-a.over
		if want := []float32{1, 2, 3}[:i+1]; a.err != nil || !slices.Equal(a.ran, want) {
			t.Errorf("batch %d: the process has run %v by then, %v", i, a.ran, a.err)
		}
	}
}

// A client that leaves a decoupled batch before the process has it ends nothing for the others.
func TestOneLeavesDecoupledBatch(t *testing.T) {
	cfg := config(backendtest.Shape{Type: tensor.Int32, Dims: []int64{1}, MaxBatch: 4}, "IN", "OUT")
	cfg.ModelTransactionPolicy = &modelconfig.ModelTransactionPolicy{Decoupled: true}
	in := loadModel(t, counts, cfg)
	number := tensor.Tensor{Name: "IN", Type: tensor.Int32, Shape: tensor.Shape{1, 1}, Data: []byte{3, 0, 0, 0}}
	one := &infer.Request{Batch: 1, Inputs: []tensor.Tensor{number}}
	python.CancelNext(in)
	ends, numbers := [2]chan error{make(chan error, 8), make(chan error, 8)}, [2]int{}
	batch := backend.NewBatch([]*infer.Request{one, one}, nil, func(i int, err error) { ends[i] <- err })
	batch.OnLater(func(i int) backend.Responder { return &taking{ctx: t.Context(), ended: ends[i], count: &numbers[i]} })
	in.Execute(t.Context(), batch)
	for i, want := range []int{0, 3} { // the model looks whether its client has left
		if err := <-ends[i]; err != nil || numbers[i] != want {
			t.Errorf("request %d: %d answers, %v; want %d", i, numbers[i], err, want)
		}
	}
}

// A batch that the process has not run because its client left is cancelled, also when the engine believed that it had begun.
func TestCancelledAtItsBeginning(t *testing.T) {
	in := loadModel(t, remembers, flat(tensor.FP32))
	python.CancelNext(in)
	gone := give(t.Context(), in, 3, 0, 1, 0)
	if <-gone.over; infer.CodeOf(gone.err) != infer.Cancelled {
		t.Errorf("it ended with %v", gone.err)
	}
	next := give(t.Context(), in, 3, 0, 2, 0)
	if <-next.over; !slices.Equal(next.ran, []float32{2}) {
		t.Errorf("the process has run %v, %v", next.ran, next.err)
	}
}

// A batch whose client left while another one ran does not run, also when the process has read something meanwhile.
func TestLeftWhileTheProcessReads(t *testing.T) {
	in := loadModel(t, remembers, flat(tensor.FP32))
	first := give(t.Context(), in, 3, 100, 1, looks)
	<-first.began
	ctx, leave := context.WithCancel(t.Context())
	left := give(ctx, in, 3, 0, 2, 0)
	entered(t, in, 2)
	time.Sleep(200 * time.Millisecond) // it has looked
	leave()
	<-left.over
	last := give(t.Context(), in, 3, 0, 3, 0)
	if <-last.over; !slices.Equal(last.ran, []float32{1, 3}) {
		t.Errorf("the process has run %v, %v", last.ran, last.err)
	}
}

// What waits behind a batch that the process runs though its client left counts as begun: the engine sees that something runs. When
// the process dies, it had not begun.
func TestBehindOneThatRunsForNobody(t *testing.T) {
	in := loadModel(t, remembers, flat(tensor.FP32))
	first := give(t.Context(), in, 3, 500, 1, 0)
	<-first.began
	ctx, leave := context.WithCancel(t.Context())
	left := give(ctx, in, 3, 60_000, 2, 0)
	entered(t, in, 2)
	release := python.HoldMessages(in)
	leave()
	waitUntil(t, func() bool { return python.Left(in) })
	before := give(t.Context(), in, 3, 0, 3, 0)
	<-first.over
	after := give(t.Context(), in, 3, 0, 4, 0)
	select {
	case <-before.began:
	case <-time.After(10 * time.Second):
		t.Error("nothing has begun")
	}
	release()
	<-left.over
	python.Kill(in)
	for _, a := range []*ahead{before, after} {
		if <-a.over; !errors.Is(a.err, errNotBegun) || !a.batch.Started().IsZero() {
			t.Errorf("it ended with %v, and began %v", a.err, a.batch.Started())
		}
	}
}

// A batch that finds its process dead has not begun, also when the engine does not know yet that it is dead.
func TestSentToADeadProcess(t *testing.T) {
	in := loadModel(t, remembers, flat(tensor.FP32))
	release := python.HoldMessages(in)
	late := give(t.Context(), in, 3, 0, 1, 0)
	<-late.began
	python.Kill(in)
	<-in.(backend.Mortal).Died()
	time.Sleep(aMoment) // the engine has seen it then, or has not: both must do
	release()
	if <-late.over; !errors.Is(late.err, errNotBegun) || !late.batch.Started().IsZero() {
		t.Errorf("it ended with %v, and began %v", late.err, late.batch.Started())
	}
}

// After a damaged message nobody knows which batches the process has begun: those that it has are not run again.
func TestAheadOfADamagedMessage(t *testing.T) {
	in := loadModel(t, remembers, flat(tensor.FP32))
	first := give(t.Context(), in, 3, 500, 1, damages)
	<-first.began
	sent := give(t.Context(), in, 3, 0, 2, 0)
	entered(t, in, 2)
	unsent := give(t.Context(), in, tooLarge, 0, 3, 0)
	for _, a := range []*ahead{first, sent} {
		if <-a.over; a.err == nil || !strings.Contains(a.err.Error(), "message of the Python process is damaged") {
			t.Errorf("it ended with %v", a.err)
		}
	}
	if <-unsent.over; !errors.Is(unsent.err, errNotBegun) {
		t.Errorf("one that the process does not have ended with %v", unsent.err)
	}
}

// A client may leave at any time, also with a batch that its process's connection does not hold while another one runs.
func TestManySmallTensorsAhead(t *testing.T) {
	in := loadModel(t, remembers, flat(tensor.FP32))
	first := give(t.Context(), in, 3, 2000, 1, 0)
	<-first.began
	var small []tensor.Tensor
	for n := range 200 {
		small = append(small, floats(fmt.Sprint("X", n), 1000, 0))
	}
	ctx, leave := context.WithCancel(t.Context())
	left := give(ctx, in, 3, 0, 2, 0, small...)
	entered(t, in, 2)
	leave()
	<-left.over
	select {
	case <-first.over:
		t.Error("a batch whose client left waits for the one that runs")
	default:
	}
	last := give(t.Context(), in, 3, 0, 3, 0, small...)
	if <-last.over; !slices.Equal(last.ran, []float32{1, 3}) {
		t.Errorf("the process has run %v, %v", last.ran, last.err)
	}
}
