package ort

// #include "shim.h"
import "C"

import (
	"context"
	"fmt"
	"unsafe"

	"conch/configedit/modelfile"
	"conch/engine/tensor"
)

// mostForShrinking bounds the inputs of the run that shrinks an arena, in bytes.
const mostForShrinking = 64 << 20

// Shrink returns back to the system what the session's arena on the CPU holds and nobody uses, if that is more than keep
// bytes. Other runs may be under way. It tells how much it was.
//
// ONNX Runtime shrinks an arena at the end of a run that asks for it, and in no other way. So a run is made that is
// terminated before its first node: it executes nothing, and its inputs are not read.
func (s *Session) Shrink(keep uint64) uint64 {
	before := s.unused()
	if before <= keep {
		return 0
	}
	s.shrink("cpu:0")
	return before - min(before, s.unused())
}

// ShrinkGPU does the same for the arena on a GPU, however little of it is unused.
func (s *Session) ShrinkGPU(device int) { s.shrink(fmt.Sprintf("gpu:%d", device)) }

// shrink shrinks an arena.
func (s *Session) shrink(arena string) {
	r, err := s.NewRunner(map[string]string{"memory.enable_memory_arena_shrinkage": arena})
	if err != nil {
		return
	}
	defer r.Close()
	for i, in := range s.model.Inputs {
		done, ok := r.blank(i, in)
		defer done()
		if !ok {
			return
		}
	}
	r.Want(0)
	r.Interrupt()
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.native != nil && s.turn(context.Background()) == nil {
		C.conch_run_do(s.library.c, s.native, r.c)
		s.passTurn()
	}
}

// unused is what the arena holds and nobody uses.
func (s *Session) unused() uint64 {
	total, used := s.memory(C.CONCH_HERE)
	return total - min(total, used)
}

// blank adds zeros for an input, in memory that is never touched: the system gives none for it. done frees it after the run.
func (r *Runner) blank(i int, in modelfile.Tensor) (done func(), ok bool) {
	shape := make(tensor.Shape, len(in.Dims))
	for d := range in.Dims {
		shape[d] = max(in.Dims[d].Size, 1)
	}
	t := tensor.Tensor{Name: in.Name, Type: tensor.DataType(in.Type), Shape: shape}
	each := int64(t.Type.Size())
	if t.Type == tensor.Bytes {
		each = 4
	}
	elements, known := shape.Elements()
	if !known || each == 0 || elements > mostForShrinking/each {
		return func() {}, false
	}
	zeros := C.calloc(C.size_t(max(elements*each, 1)), 1)
	if zeros == nil {
		return func() {}, false
	}
	t.Data = unsafe.Slice((*byte)(zeros), int(elements*each))
	return func() { C.free(zeros) }, r.Input(i, &t, shape) == nil
}
