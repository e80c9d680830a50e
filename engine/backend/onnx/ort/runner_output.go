package ort

// #include "shim.h"
import "C"

import (
	"unsafe"

	"conch/configedit/modelfile"
	"conch/engine/tensor"
)

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
	return tensor.DataType(modelfile.ONNXDataType(int32(out._type))), shape, data
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
