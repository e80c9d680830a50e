package ort

// #include "shim.h"
import "C"

import (
	"fmt"
	"unsafe"

	"conch/engine/tensor"
)

// Input adds a tensor for input i of the session's Model; numbers behind the
// inputs are those of overridable initializers. The data is read where it lies
// and must stay as it is until Run returns.
func (r *Runner) Input(i int, t *tensor.Tensor, shape tensor.Shape) error {
	in, err := r.next(i, t, shape, len(t.Data))
	if err != nil {
		return err
	}
	in.device = C.CONCH_HERE
	in.data = C.uintptr_t(r.place(i, t))
	return nil
}

// CUDAInput adds a tensor whose data is in the memory of a CUDA device, the session's, at an address that fits its elements. It
// must stay as it is until Run returns. Strings are never there.
func (r *Runner) CUDAInput(i int, t *tensor.Tensor, shape tensor.Shape, device int, address uintptr, size int) error {
	in, err := r.next(i, t, shape, size)
	if err != nil {
		return err
	}
	in.device = C.int(device)
	in.data = C.uintptr_t(address)
	return nil
}

// next begins the next input, of so many bytes.
func (r *Runner) next(i int, t *tensor.Tensor, shape tensor.Shape, size int) (*C.conch_input, error) {
	elements, ok := shape.Elements()
	if !ok || len(shape) > MaxRank {
		return nil, fmt.Errorf("input '%s' has the impossible shape %s", t.Name, shape)
	}
	if !fits(t.Type, int64(size), elements) {
		return nil, fmt.Errorf("input '%s' has %d bytes, which is not what %s %s needs", t.Name, size, t.Type, shape)
	}
	if int(r.c.inputs) == len(r.inputs) {
		return nil, fmt.Errorf("input '%s' is one more than the %d that the model has", t.Name, len(r.inputs))
	}
	in := &r.inputs[r.c.inputs]
	in.name = r.session.names.inputs[i]
	in._type = C.int(elementType(t.Type))
	in.rank = C.size_t(len(shape))
	for d, size := range shape {
		in.dims[d] = C.int64_t(size)
	}
	in.elements = C.size_t(elements)
	in.bytes = C.size_t(size)
	r.c.inputs++
	return in, nil
}

// place pins a tensor's data, or a copy of it where it lies at an address that
// its elements must not have: compiled kernels trap on that. Requests cut from a
// connection's buffer lie anywhere. The result is an address and no pointer: see conch_input.
func (r *Runner) place(i int, t *tensor.Tensor) uintptr {
	if len(t.Data) == 0 {
		return 0
	}
	data := unsafe.SliceData(t.Data)
	if size := uintptr(t.Type.Size()); size > 1 && uintptr(unsafe.Pointer(data))%size != 0 {
		data = unsafe.SliceData(r.copy(i, t.Data))
	}
	r.pinner.Pin(data)
	return uintptr(unsafe.Pointer(data))
}

// fits tells whether the data can hold the elements, so that a wrong size is
// never read beyond its end. Strings are looked at one by one in C.
func fits(kind tensor.DataType, bytes, elements int64) bool {
	if kind == tensor.Bytes {
		const lengthSize = 4
		return bytes/lengthSize >= elements
	}
	size := int64(kind.Size())
	return size > 0 && bytes%size == 0 && bytes/size == elements
}

// elementType is ONNX's number of a data type (TensorProto.DataType).
func elementType(t tensor.DataType) int {
	return elementTypes[t]
}

var elementTypes = [...]int{
	tensor.FP32: 1, tensor.Uint8: 2, tensor.Int8: 3, tensor.Uint16: 4, tensor.Int16: 5, tensor.Int32: 6,
	tensor.Int64: 7, tensor.Bytes: C.CONCH_STRING, tensor.Bool: 9, tensor.FP16: 10, tensor.FP64: 11,
	tensor.Uint32: 12, tensor.Uint64: 13, tensor.BF16: 16,
}
