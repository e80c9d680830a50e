package ort

// #include "shim.h"
import "C"

import (
	"unsafe"

	"conch/configedit/modelfile"
	"conch/engine/budget"
	"conch/engine/tensor"
)

// Output is the k-th wanted tensor. Its shape is appended to the given one, so
// that the caller decides where it lies; its data is borrowed until the handle
// that Take gives is released. It is nil for an output on a GPU.
func (r *Runner) Output(k int, shape tensor.Shape) (tensor.DataType, tensor.Shape, []byte) {
	out := &r.outputs[k]
	for _, size := range out.dims[:out.rank] {
		shape = append(shape, int64(size))
	}
	var data []byte
	if out.bytes > 0 && out.device == C.CONCH_HERE {
		data = unsafe.Slice((*byte)(out.data), int(out.bytes))
	}
	return tensor.DataType(modelfile.ONNXDataType(int32(out._type))), shape, data
}

// OutputOnGPU is the k-th wanted tensor if it was wanted on a GPU: where its bytes are, and how many.
func (r *Runner) OutputOnGPU(k int) (address uintptr, size int, there bool) {
	out := &r.outputs[k]
	return uintptr(out.data), int(out.bytes), out.device != C.CONCH_HERE
}

// HasOnGPU reports whether outputs of the run are in the memory of a GPU.
func (r *Runner) HasOnGPU() bool {
	for k := range r.outputs[:r.c.outputs] {
		if r.outputs[k].device != C.CONCH_HERE && r.outputs[k].value != nil {
			return true
		}
	}
	return false
}

// FreeOnGPU frees the outputs of the run that are in the memory of a GPU.
func (r *Runner) FreeOnGPU() {
	for k := range r.outputs[:r.c.outputs] {
		out := &r.outputs[k]
		if out.device != C.CONCH_HERE && out.value != nil {
			handle := Handle{value: out.value}
			C.conch_release(r.session.library.c, (*C.conch_handle)(&handle), 1)
			out.value = nil
		}
	}
}

// Handle owns an output's memory.
type Handle C.conch_handle

// offsetSize is the size of an element's offset, which ONNX Runtime gives for each string.
const offsetSize = int64(unsafe.Sizeof(C.size_t(0)))

// takeStrings puts outputs of strings into wire form. ONNX Runtime has already made the strings; they are counted
// until they are freed. An output beyond the limit is refused before its other form takes memory too.
func (r *Runner) takeStrings() error {
	for k := range r.outputs[:r.c.outputs] {
		out := &r.outputs[k]
		if out._type != C.CONCH_STRING {
			continue
		}
		if err := r.takeStringsOf(k); err != nil {
			C.conch_run_drop(r.session.library.c, r.c)
			r.closeAccount()
			return err
		}
	}
	return nil
}

func (r *Runner) takeStringsOf(k int) error {
	if r.account == nil {
		account := r.Memory.Open()
		r.account = &account
	}
	elements, bytes := int64(r.outputs[k].elements), int64(r.outputs[k].bytes)
	passing := tensor.StringsSize(elements, bytes) + offsetSize*elements
	if err := r.account.Grow(passing + bytes); err != nil {
		return err
	}
	C.conch_run_strings(r.session.library.c, r.c, C.size_t(k))
	r.account.Give(passing)
	return take(&r.c.error)
}

func (r *Runner) closeAccount() {
	if r.account != nil {
		r.account.Close()
		r.account = nil
	}
}

// Take moves the outputs' memory to the handles, one for each wanted output, in order. The account counts that of
// strings, and is closed when the handles are released. It is nil without strings.
func (r *Runner) Take(handles []Handle) (account *budget.Account) {
	for k := range int(r.c.outputs) {
		out := &r.outputs[k]
		handles[k] = Handle{value: out.value, buffer: out.buffer}
		out.value, out.buffer = nil, nil
	}
	account, r.account = r.account, nil
	return account
}

// Release frees the memory of outputs. It may be called after the session was closed.
func (l *Library) Release(handles []Handle) {
	if len(handles) > 0 {
		C.conch_release(l.c, (*C.conch_handle)(&handles[0]), C.size_t(len(handles)))
	}
}
