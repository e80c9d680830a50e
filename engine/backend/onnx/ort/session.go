package ort

// #include <stdlib.h>
// #include "shim.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"conch/configedit/modelfile"
)

// errClosed is what a run on a closed session gets.
var errClosed = errors.New("the model's session is closed")

// Session is a loaded model.
type Session struct {
	// MappedBytes is the size of the weights that ONNX Runtime maps from files instead of reading them into its arena. It is for the
	// session's owner, and is set before the session is shared.
	MappedBytes uint64

	library *Library
	model   *modelfile.ONNX
	names   tensorNames
	// takesTurns is true for a session that must not run beside others of its kind.
	takesTurns bool

	// mu is held shared by runs and alone by Close; it guards native.
	mu     sync.RWMutex
	native *C.OrtSession
}

// tensorNames are the session's names as C strings: inputs, then overridable initializers; outputs.
type tensorNames struct {
	inputs, outputs []*C.char
}

// limited is held while a session with an arena of its own is made: the arena passes through the environment.
var limited sync.Mutex

// NewSession loads the model at path. A limit above 0 bounds the bytes of its arena on the CPU. Cancelling ctx gives
// up between the steps of loading.
func (l *Library) NewSession(ctx context.Context, path string, options *Options, limit int64) (*Session, error) {
	s := &Session{library: l, takesTurns: options.takeTurns}
	if err := s.load(ctx, path, options, limit); err != nil {
		return nil, err
	}
	if err := s.describe(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *Session) load(ctx context.Context, path string, options *Options, limit int64) error {
	cPath, free, err := pathArgument(path)
	if err != nil {
		return err
	}
	defer free()
	if err := s.turn(ctx); err != nil {
		return err
	}
	defer s.passTurn()
	stopped := s.library.cancelLoad(ctx, options)
	defer stopped()
	var cErr C.conch_error
	if limit > 0 {
		limited.Lock()
		defer limited.Unlock()
		C.conch_session_new_limited(s.library.c, cPath, options.native, C.size_t(limit), &s.native, &cErr)
	} else {
		C.conch_session_new(s.library.c, cPath, options.native, &s.native, &cErr)
	}
	if err := take(&cErr); err != nil {
		return errors.Join(context.Cause(ctx), err)
	}
	return nil
}

// cancelLoad sets the options' flag when ctx ends. The returned function makes
// sure that the flag is left alone from then on.
func (l *Library) cancelLoad(ctx context.Context, options *Options) func() {
	var mu sync.Mutex
	done := false
	stop := context.AfterFunc(ctx, func() {
		mu.Lock()
		defer mu.Unlock()
		if !done {
			C.conch_session_cancel_load(l.c, options.native)
		}
	})
	return func() {
		stop()
		mu.Lock()
		defer mu.Unlock()
		done = true
	}
}

// Model describes the session's tensors as ONNX Runtime sees them after its own shape inference.
func (s *Session) Model() *modelfile.ONNX { return s.model }

func (s *Session) describe() error {
	s.model = &modelfile.ONNX{}
	for side, into := range map[C.int]*[]modelfile.Tensor{
		C.CONCH_INPUTS: &s.model.Inputs, C.CONCH_OUTPUTS: &s.model.Outputs, C.CONCH_OVERRIDABLE: &s.model.Overridable,
	} {
		tensors, err := s.tensors(side)
		if err != nil {
			return fmt.Errorf("read the model's tensors: %w", err)
		}
		*into = tensors
	}
	for _, list := range [][]modelfile.Tensor{s.model.Inputs, s.model.Overridable} {
		s.names.inputs = append(s.names.inputs, cNames(list)...)
	}
	s.names.outputs = cNames(s.model.Outputs)
	return nil
}

func cNames(tensors []modelfile.Tensor) []*C.char {
	names := make([]*C.char, len(tensors))
	for i := range tensors {
		names[i] = C.CString(tensors[i].Name)
	}
	return names
}

func (s *Session) tensors(side C.int) ([]modelfile.Tensor, error) {
	var count C.size_t
	var cErr C.conch_error
	C.conch_session_count(s.library.c, s.native, side, &count, &cErr)
	if err := take(&cErr); err != nil {
		return nil, err
	}
	tensors := make([]modelfile.Tensor, count)
	for i := range tensors {
		var info C.conch_info
		C.conch_session_info(s.library.c, s.native, side, C.size_t(i), &info, &cErr)
		tensors[i] = tensorOf(&info)
		C.conch_info_free(&info)
		if err := take(&cErr); err != nil {
			return nil, err
		}
	}
	return tensors, nil
}

func tensorOf(info *C.conch_info) modelfile.Tensor {
	t := modelfile.Tensor{
		Name: C.GoString(info.name), Kind: modelfile.Kind(info.kind),
		Type: modelfile.ONNXDataType(int32(info._type)), Shaped: true,
	}
	for i := range int(info.rank) {
		t.Dims = append(t.Dims, modelfile.Dim{Size: int64(info.dims[i]), Symbol: C.GoString(info.symbols[i])})
	}
	return t
}

// MemoryBytes is what the session holds for weights and scratch memory on the CPU.
func (s *Session) MemoryBytes() uint64 {
	total, _ := s.memory(C.CONCH_HERE)
	return total
}

// GPUMemoryBytes is the same on a CUDA device.
func (s *Session) GPUMemoryBytes(device int) uint64 {
	total, _ := s.memory(C.int(device))
	return total
}

// memory is what the arena on a CUDA device or CONCH_HERE holds, and how much of it is used.
func (s *Session) memory(device C.int) (total, used uint64) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.native == nil {
		return 0, 0
	}
	m := C.conch_session_memory(s.library.c, s.native, device)
	return uint64(m.total), uint64(m.used)
}

// Close waits for runs in flight and frees the session. Outputs that were not
// released yet stay valid. Closing twice is harmless.
func (s *Session) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.native == nil {
		return
	}
	_ = s.turn(context.Background()) // it always comes
	C.conch_session_free(s.library.c, s.native)
	s.passTurn()
	s.native = nil
	for _, list := range [][]*C.char{s.names.inputs, s.names.outputs} {
		for _, name := range list {
			free(unsafe.Pointer(name))
		}
	}
}
