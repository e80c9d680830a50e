package onnx_test

import (
	"context"
	"encoding/binary"
	"runtime"
	"sync"
	"testing"
	"time"

	"conch/engine/backend"
	"conch/engine/backend/onnx/onnxtest"
	"conch/engine/infer"
	"conch/engine/tensor"
)

func TestCancelEndsARunAndNotTheNext(t *testing.T) {
	instance := load(t, onnxtest.Slow(384, 400), nil)
	size := int64(384)
	in := tensor.Tensor{Name: "INPUT", Type: tensor.FP32, Shape: tensor.Shape{size, size}, Data: make([]byte, 4*size*size)}
	var whole, part time.Duration
	for range 5 { // one of them is not held up by the machine's other work
		start := time.Now()
		one(t, instance, request(0, in))
		whole = time.Since(start)

		ctx, cancel := context.WithTimeout(context.Background(), whole/10)
		defer cancel()
		start = time.Now()
		out := run(ctx, t, instance, request(0, in))[0]
		part = time.Since(start)
		if infer.CodeOf(out.err) != infer.Cancelled {
			t.Fatalf("got %v after %v of %v", out.err, part, whole)
		}
		if part <= whole*3/4 {
			one(t, instance, request(0, in))
			return
		}
	}
	t.Errorf("the cancelled run took %v, a whole one %v", part, whole)
}

// A run that nobody may cancel, of a request without an end, ends anyway when its instance is given up.
func TestInterruptEndsARun(t *testing.T) {
	const size = 384
	model := loadSpec(t, specOf(t, onnxtest.Slow(size, 4000).Bytes(), nil))
	instance := instanceOf(t, model)
	in := tensor.Tensor{Name: "INPUT", Type: tensor.FP32, Shape: tensor.Shape{size, size}, Data: make([]byte, 4*size*size)}
	ended := make(chan error, 1)
	go func() { ended <- run(context.Background(), t, instance, request(0, in))[0].err }()
	for {
		instance.(backend.Interrupter).Interrupt()
		select {
		case err := <-ended:
			if err == nil {
				t.Error("the run ended by itself")
			}
			return
		case <-time.After(time.Millisecond):
		}
	}
}

// What C was told of a request's memory must be nothing to the collector when the next request comes: that memory is free by
// then. Requests come while the collector marks, each to an instance whose last one was a whole collection ago.
func TestCollectorMarksWhileRequestsCome(t *testing.T) {
	model := loadSpec(t, specOf(t, onnxtest.Identity(onnxtest.Int32, 4).Bytes(), nil))
	instances := make([]backend.Instance, 64)
	for i := range instances {
		instances[i] = instanceOf(t, model)
	}
	var long *link // what takes the collector a while to mark
	for range 1 << 19 {
		long = &link{next: long}
	}
	for round := range int32(20) {
		marked := make(chan struct{})
		go func() { runtime.GC(); close(marked) }()
		for marking := true; marking; {
			for _, instance := range instances {
				echoOnce(t, instance, round)
			}
			select {
			case <-marked:
				marking = false
			default:
			}
		}
		runtime.GC()
	}
	runtime.KeepAlive(long)
}

type link struct{ next *link }

// echoOnce sends four numbers in memory that nobody keeps.
func echoOnce(t *testing.T, instance backend.Instance, n int32) {
	in := ints("INPUT", tensor.Shape{4}, n, n, n, n)
	out := run(context.Background(), t, instance, request(0, in))[0]
	if out.err != nil || string(out.response.Output("OUTPUT").Data) != string(in.Data) {
		t.Fatal(out.err)
	}
	out.response.Release()
}

func TestCancelAtEveryMoment(t *testing.T) {
	instance := load(t, onnxtest.AddSub(16), nil)
	inputs := []tensor.Tensor{ints("INPUT0", tensor.Shape{16}, make([]int32, 16)...), ints("INPUT1", tensor.Shape{16}, make([]int32, 16)...)}
	for range 2000 {
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() { cancel(); close(done) }()
		out := run(ctx, t, instance, request(0, inputs...))[0]
		if out.err == nil {
			out.response.Release()
		}
		one := run(context.Background(), t, instance, request(0, inputs...))[0]
		if one.err != nil {
			t.Fatalf("a cancel hit the next run: %v", one.err)
		}
		one.response.Release()
		<-done
	}
}

func TestManyInstancesAtOnce(t *testing.T) {
	model := loadSpec(t, specOf(t, onnxtest.AddSub("batch", 4).Bytes(), nil))
	var group sync.WaitGroup
	for worker := range 8 {
		instance := instanceOf(t, model)
		group.Go(func() {
			for i := range 300 {
				n := int32(worker*1000 + i)
				addOnce(t, instance, n)
			}
		})
	}
	group.Wait()
}

// addOnce runs n + 1 and checks every element.
func addOnce(t *testing.T, instance backend.Instance, n int32) {
	shape := tensor.Shape{1, 4}
	out := run(context.Background(), t, instance,
		request(1, ints("INPUT0", shape, n, n, n, n), ints("INPUT1", shape, 1, 1, 1, 1)))[0]
	if out.err != nil {
		t.Error(out.err)
		return
	}
	defer out.response.Release()
	want := ints("OUTPUT0", shape, n+1, n+1, n+1, n+1)
	if got := show(out.response.Output("OUTPUT0")); got != show(&want) {
		t.Errorf("got %s, want %s", got, show(&want))
	}
}

func TestAnswersOutliveTheirModel(t *testing.T) {
	spec := specOf(t, onnxtest.Identity(onnxtest.String, 1).Bytes(), nil)
	model := loadSpec(t, spec)
	instance := instanceOf(t, model)
	response := one(t, instance, request(0, words("INPUT", tensor.Shape{1}, "still here")))
	instance.Close()
	model.Close()
	want := words("OUTPUT", tensor.Shape{1}, "still here")
	if got := show(response.Output("OUTPUT")); got != show(&want) {
		t.Errorf("got %s", got)
	}
}

func TestCloseWaitsForRuns(t *testing.T) {
	model := loadSpec(t, specOf(t, onnxtest.Slow(256, 100).Bytes(), nil))
	instance := instanceOf(t, model)
	in := tensor.Tensor{Name: "INPUT", Type: tensor.FP32, Shape: tensor.Shape{256, 256}, Data: make([]byte, 4*256*256)}
	started := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		close(started)
		if out := run(context.Background(), t, instance, request(0, in))[0]; out.err == nil {
			out.response.Release()
		}
	})
	<-started
	model.Close() // must neither crash nor return early
	group.Wait()
}

func TestMemoryIsReported(t *testing.T) {
	model := loadSpec(t, specOf(t, onnxtest.Slow(256, 3).Bytes(), nil))
	in := tensor.Tensor{Name: "INPUT", Type: tensor.FP32, Shape: tensor.Shape{256, 256}, Data: make([]byte, 4*256*256)}
	one(t, instanceOf(t, model), request(0, in))
	if bytes := model.(backend.MemoryReporter).Memory()[0].Bytes; bytes < 256*256*4 {
		t.Errorf("reports %d bytes", bytes)
	}
}

// The size of a file says little of what a model holds: this one is mostly a remark.
func TestMemoryIsNotTheSizeOfTheFile(t *testing.T) {
	remark := make([]byte, 8<<20)
	file := append(onnxtest.AddSub("n").Bytes(), 0x32) // ModelProto.doc_string
	file = append(binary.AppendUvarint(file, uint64(len(remark))), remark...)
	model := loadSpec(t, specOf(t, file, nil))
	if bytes := model.(backend.MemoryReporter).Memory()[0].Bytes; bytes >= 8<<20 {
		t.Errorf("reports %d bytes, of a file of %d", bytes, len(file))
	}
}
