package ort

// #include <stdlib.h>
// #include "shim.h"
import "C"

import (
	"fmt"
	"strconv"
	"unsafe"

	"conch/engine/tensor"
)

// FixedTensor is an input or an output of a Fixed, by its number in the session's Model. It has a fixed size, and at least one
// element.
type FixedTensor struct {
	Index int
	Type  tensor.DataType
	Shape tensor.Shape
}

// Fixed is a run of a session whose inputs and outputs stay at one place in the memory of the session's CUDA device. ONNX Runtime
// makes a CUDA graph of the run that records, and replays it in all later ones: it reads and writes these places only. It is closed before
// the session.
type Fixed struct {
	session   *Session
	c         *C.conch_fixed
	addresses []uintptr // of the inputs, then of the outputs
	sizes     []int     // in bytes, in the same order
	inputs    int
}

// Fix takes memory for the tensors from the session's allocator on the device. Its error is ONNX Runtime's; the session is well then.
func (s *Session) Fix(device int, inputs, outputs []FixedTensor) (*Fixed, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.native == nil {
		return nil, errClosed
	}
	list := (*C.conch_input)(C.calloc(C.size_t(len(inputs)+len(outputs)+1), C.sizeof_conch_input))
	defer C.free(unsafe.Pointer(list))
	tensors := unsafe.Slice(list, len(inputs)+len(outputs))
	for i := range tensors {
		t, names := FixedTensor{}, s.names.inputs
		if i < len(inputs) {
			t = inputs[i]
		} else {
			t, names = outputs[i-len(inputs)], s.names.outputs
		}
		if err := t.describe(&tensors[i], names[t.Index], device); err != nil {
			return nil, err
		}
	}
	var cErr C.conch_error
	f := &Fixed{session: s, inputs: len(inputs)}
	f.c = C.conch_fixed_new(s.library.c, s.native, C.int(device), list, C.size_t(len(inputs)), C.size_t(len(outputs)), &cErr)
	if err := take(&cErr); err != nil {
		return nil, err
	}
	for i := range tensors {
		f.addresses = append(f.addresses, uintptr(tensors[i].data))
		f.sizes = append(f.sizes, int(tensors[i].bytes))
	}
	return f, nil
}

func (t FixedTensor) describe(into *C.conch_input, name *C.char, device int) error {
	elements, ok := t.Shape.Elements()
	if size := t.Type.Size(); !ok || size == 0 || elements == 0 || len(t.Shape) > MaxRank {
		return fmt.Errorf("a tensor of type %s and shape %s has no fixed place", t.Type, t.Shape)
	}
	into.name, into._type, into.rank = name, C.int(elementType(t.Type)), C.size_t(len(t.Shape))
	for d, size := range t.Shape {
		into.dims[d] = C.int64_t(size)
	}
	into.elements, into.bytes = C.size_t(elements), C.size_t(elements*int64(t.Type.Size()))
	into.device = C.int(device)
	return nil
}

// Input is where the i-th input is read.
func (f *Fixed) Input(i int) uintptr { return f.addresses[i] }

// Size is how many bytes the i-th input has.
func (f *Fixed) Size(i int) int { return f.sizes[i] }

// Output is where the i-th output is written.
func (f *Fixed) Output(i int) uintptr { return f.addresses[f.inputs+i] }

// Record runs the model and makes a graph of it. graph is above 0, and another for each recording of the session. It ends by itself alone.
// After an error the session cannot be used any more: CUDA may still be recording. All runs of a session with graphs are made on one thread
// of the system, to which the graphs belong.
func (f *Fixed) Record(graph int) error {
	number := C.CString(strconv.Itoa(graph))
	defer C.free(unsafe.Pointer(number))
	return f.run(number)
}

// Run replays what was recorded last.
func (f *Fixed) Run() error { return f.run(nil) }

func (f *Fixed) run(record *C.char) error {
	s := f.session
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.native == nil {
		return errClosed
	}
	C.conch_fixed_run(s.library.c, s.native, f.c, record)
	return take(&f.c.error)
}

// Close frees the memory. Closing twice is harmless.
func (f *Fixed) Close() {
	if f.c != nil {
		C.conch_fixed_free(f.session.library.c, f.c)
		f.c = nil
	}
}

// OnGPU tells of each input and each output of the session's Model whether it is in a GPU's memory.
func (s *Session) OnGPU() (inputs, outputs []bool, err error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.native == nil {
		return nil, nil, errClosed
	}
	inputs, outputs = make([]bool, len(s.model.Inputs)), make([]bool, len(s.model.Outputs))
	for side, list := range map[C.int][]bool{C.CONCH_INPUTS: inputs, C.CONCH_OUTPUTS: outputs} {
		if len(list) == 0 {
			continue
		}
		var cErr C.conch_error
		C.conch_session_places(s.library.c, s.native, side, C.size_t(len(list)), (*C._Bool)(&list[0]), &cErr)
		if err := take(&cErr); err != nil {
			return nil, nil, err
		}
	}
	return inputs, outputs, nil
}
