package ort

// #include "shim.h"
import "C"

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"conch/configedit/derive"
	"conch/engine/tensor"
)

// MaxRank is the largest number of dimensions of a tensor.
const MaxRank = C.CONCH_MAX_RANK

// Runner executes runs of a session, one at a time. Its working memory is in C,
// so that a run allocates nothing in Go:
//
//	r.Reset()
//	r.Input(i, t)…; r.Want(o)…
//	r.Run(ctx)
//	r.Output(0)…; r.Take(handles)
type Runner struct {
	session *Session
	c       *C.conch_run
	inputs  []C.conch_input
	outputs []C.conch_output
	wanted  []*C.char
	pinner  runtime.Pinner

	// copies hold inputs that do not lie where their elements must.
	copies [][]byte

	// mu guards number and terminated.
	mu sync.Mutex
	// number counts runs, begun and ended: a late cancel must not hit the next run.
	number     uint64
	terminated bool
}

// NewRunner makes a runner. entries are run options, "memory.enable_memory_arena_shrinkage" for one.
func (s *Session) NewRunner(entries map[string]string) (*Runner, error) {
	var cErr C.conch_error
	c := C.conch_run_new(s.library.c, C.size_t(len(s.names.inputs)), C.size_t(len(s.names.outputs)), &cErr)
	if err := take(&cErr); err != nil {
		return nil, err
	}
	r := &Runner{
		session: s, c: c,
		inputs:  unsafe.Slice(c.input, len(s.names.inputs)),
		outputs: unsafe.Slice(c.output, len(s.names.outputs)),
		wanted:  unsafe.Slice(c.output_name, len(s.names.outputs)),
		copies:  make([][]byte, len(s.names.inputs)),
	}
	for key, value := range entries {
		if err := r.configure(key, value); err != nil {
			r.Close()
			return nil, err
		}
	}
	return r, nil
}

func (r *Runner) configure(key, value string) error {
	cKey, cValue := C.CString(key), C.CString(value)
	defer free(unsafe.Pointer(cKey))
	defer free(unsafe.Pointer(cValue))
	var cErr C.conch_error
	C.conch_run_config(r.session.library.c, r.c, cKey, cValue, &cErr)
	return take(&cErr)
}

// Close frees the working memory. Outputs that were taken stay valid.
func (r *Runner) Close() {
	if r.c != nil {
		C.conch_run_free(r.session.library.c, r.c)
		r.c = nil
	}
}

// Reset forgets the tensors of the run before.
func (r *Runner) Reset() { r.c.inputs, r.c.outputs = 0, 0 }

// Input adds a tensor for input i of the session's Model; numbers behind the
// inputs are those of overridable initializers. The data is read where it lies
// and must stay as it is until Run returns.
func (r *Runner) Input(i int, t *tensor.Tensor, shape tensor.Shape) error {
	elements, ok := shape.Elements()
	if !ok || len(shape) > MaxRank {
		return fmt.Errorf("input '%s' has the impossible shape %s", t.Name, shape)
	}
	if !fits(t, elements) {
		return fmt.Errorf("input '%s' has %d bytes, which is not what %s %s needs", t.Name, len(t.Data), t.Type, shape)
	}
	in := &r.inputs[r.c.inputs]
	in.name = r.session.names.inputs[i]
	in._type = C.int(elementType(t.Type))
	in.rank = C.size_t(len(shape))
	for d, size := range shape {
		in.dims[d] = C.int64_t(size)
	}
	in.elements = C.size_t(elements)
	in.bytes = C.size_t(len(t.Data))
	in.data = r.place(i, t)
	r.c.inputs++
	return nil
}

// place pins a tensor's data, or a copy of it where it lies at an address that
// its elements must not have: compiled kernels trap on that. Requests cut from a
// connection's buffer lie anywhere.
func (r *Runner) place(i int, t *tensor.Tensor) unsafe.Pointer {
	if len(t.Data) == 0 {
		return nil
	}
	data := unsafe.SliceData(t.Data)
	if size := uintptr(t.Type.Size()); size > 1 && uintptr(unsafe.Pointer(data))%size != 0 {
		r.copies[i] = append(r.copies[i][:0], t.Data...)
		data = unsafe.SliceData(r.copies[i])
	}
	r.pinner.Pin(data)
	return unsafe.Pointer(data)
}

// fits tells whether the data can hold the elements, so that a wrong size is
// never read beyond its end. Strings are looked at one by one in C.
func fits(t *tensor.Tensor, elements int64) bool {
	if t.Type == tensor.Bytes {
		const lengthSize = 4
		return int64(len(t.Data))/lengthSize >= elements
	}
	size := int64(t.Type.Size())
	return size > 0 && int64(len(t.Data))%size == 0 && int64(len(t.Data))/size == elements
}

// Want asks for output o of the session's Model; nothing else is handed out.
func (r *Runner) Want(o int) {
	r.wanted[r.c.outputs] = r.session.names.outputs[o]
	r.c.outputs++
}

// Run executes the model. Cancelling ctx ends it between two of its nodes. The error is
// an *Error of ONNX Runtime, or ctx's cause.
func (r *Runner) Run(ctx context.Context) error {
	defer r.pinner.Unpin()
	s := r.session
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.native == nil {
		return errClosed
	}
	if ctx.Done() == nil {
		C.conch_run_do(s.library.c, s.native, r.c)
		return take(&r.c.error)
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return r.runUntil(ctx)
}

// runUntil is Run with an end to it.
func (r *Runner) runUntil(ctx context.Context) error {
	number := r.begin()
	stop := context.AfterFunc(ctx, func() { r.terminate(number) })
	C.conch_run_do(r.session.library.c, r.session.native, r.c)
	stop()
	err := take(&r.c.error)
	if r.end() && err != nil {
		return context.Cause(ctx)
	}
	return err
}

func (r *Runner) begin() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.number++
	return r.number
}

// end makes the runner fit for the next run and tells whether this one was terminated.
func (r *Runner) end() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.number++
	was := r.terminated
	if was {
		C.conch_run_rearm(r.session.library.c, r.c)
		r.terminated = false
	}
	return was
}

func (r *Runner) terminate(number uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.number == number {
		C.conch_run_terminate(r.session.library.c, r.c)
		r.terminated = true
	}
}

// Output is the k-th wanted tensor. Its shape is appended to the given one, so
// that the caller decides where it lies; its data is borrowed until the handle
// that Take gives is released.
func (r *Runner) Output(k int, shape tensor.Shape) (tensor.DataType, tensor.Shape, []byte) {
	out := &r.outputs[k]
	for _, size := range out.dims[:out.rank] {
		shape = append(shape, int64(size))
	}
	var data []byte
	if out.bytes > 0 {
		data = unsafe.Slice((*byte)(out.data), int(out.bytes))
	}
	return tensor.DataType(derive.ONNXDataType(int32(out._type))), shape, data
}

// Handle owns an output's memory.
type Handle C.conch_handle

// Take moves the outputs' memory to the handles, one for each wanted output, in order.
func (r *Runner) Take(handles []Handle) {
	for k := range int(r.c.outputs) {
		out := &r.outputs[k]
		handles[k] = Handle{value: out.value, buffer: out.buffer}
		out.value, out.buffer = nil, nil
	}
}

// Release frees the memory of outputs. It may be called after the session was closed.
func (l *Library) Release(handles []Handle) {
	if len(handles) > 0 {
		C.conch_release(l.c, (*C.conch_handle)(&handles[0]), C.size_t(len(handles)))
	}
}

// Library is where the session's model runs.
func (s *Session) Library() *Library { return s.library }

// elementType is ONNX's number of a data type (TensorProto.DataType).
func elementType(t tensor.DataType) int {
	return elementTypes[t]
}

var elementTypes = [...]int{
	tensor.FP32: 1, tensor.Uint8: 2, tensor.Int8: 3, tensor.Uint16: 4, tensor.Int16: 5, tensor.Int32: 6,
	tensor.Int64: 7, tensor.Bytes: C.CONCH_STRING, tensor.Bool: 9, tensor.FP16: 10, tensor.FP64: 11,
	tensor.Uint32: 12, tensor.Uint64: 13, tensor.BF16: 16,
}
