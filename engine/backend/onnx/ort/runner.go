package ort

// #include "shim.h"
import "C"

import (
	"context"
	"runtime"
	"sync"
	"unsafe"

	"conch/engine/budget"
	"conch/engine/tensor"
)

// MaxRank is the largest number of dimensions of a tensor.
const MaxRank = C.CONCH_MAX_RANK

// Runner executes runs of a session, one at a time. Its working memory is in C,
// so that a run allocates nothing in Go:
//
//	defer r.Reset()
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

	// Memory counts the strings of outputs; nil counts nothing. account holds what it has counted until Take; it is nil
	// without such outputs.
	Memory  *budget.Budget
	account *budget.Account

	// copies hold inputs that do not lie where their elements must.
	copies [][]byte

	// mu guards number and terminated, and c against Close.
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
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.c != nil {
		r.pinner.Unpin()
		C.conch_run_free(r.session.library.c, r.c)
		r.c = nil
	}
}

// Reset forgets the tensors, also those of a run that was prepared and never made.
func (r *Runner) Reset() {
	if r.c == nil { // it was closed
		return
	}
	r.pinner.Unpin()
	r.lendCopies()
	r.c.inputs, r.c.outputs = 0, 0
	r.closeAccount()
}

// Want asks for output o of the session's Model, once for each; nothing else is handed out.
func (r *Runner) Want(o int) { r.want(o, C.CONCH_HERE) }

// WantOnGPU asks for an output of numbers, in the memory of the session's CUDA device.
func (r *Runner) WantOnGPU(o, device int) { r.want(o, C.int(device)) }

func (r *Runner) want(o int, device C.int) {
	r.wanted[r.c.outputs] = r.session.names.outputs[o]
	r.outputs[r.c.outputs].device = device
	r.outputs[r.c.outputs].room = 0
	r.c.outputs++
}

// WantIn asks for output o in memory of the caller, whose address fits its elements. A run that makes it with another type or shape
// fails. The memory must stay until Run returns; beside outputs on a GPU, and after a failure, nothing may be there.
func (r *Runner) WantIn(o int, kind tensor.DataType, shape tensor.Shape, room []byte) {
	out := &r.outputs[r.c.outputs]
	r.Want(o)
	out._type = C.int(elementType(kind))
	out.rank = C.size_t(len(shape))
	for d, size := range shape {
		out.dims[d] = C.int64_t(size)
	}
	out.bytes = C.size_t(len(room))
	r.pinner.Pin(unsafe.SliceData(room))
	out.room = C.uintptr_t(uintptr(unsafe.Pointer(unsafe.SliceData(room))))
}

// WantElsewhere has the outputs of a run that failed made anywhere in the next one, with the same inputs. It reports whether some were
// wanted in memory of the caller.
func (r *Runner) WantElsewhere() (any bool) {
	for k := range r.outputs[:r.c.outputs] {
		any = any || r.outputs[k].room != 0
		r.outputs[k].room = 0
	}
	return any
}

// Run executes the model. Cancelling ctx ends it between two of its nodes. The error is an *Error of ONNX Runtime,
// ctx's cause, or the budget's refusal of the outputs.
func (r *Runner) Run(ctx context.Context) error {
	s := r.session
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.native == nil {
		return errClosed
	}
	if err := s.turn(ctx); err != nil {
		return err
	}
	err := r.execute(ctx)
	s.passTurn()
	if err != nil {
		return err
	}
	return r.takeStrings()
}

func (r *Runner) execute(ctx context.Context) error {
	if ctx.Done() == nil {
		C.conch_run_do(r.session.library.c, r.session.native, r.c)
		return take(&r.c.error)
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return r.runUntil(ctx)
}
