package ort

// #include "shim.h"
import "C"

import "fmt"

// Error is an error of ONNX Runtime with its number (OrtErrorCode).
type Error struct {
	Code    int
	Message string
}

// Error is the message in Triton's form (docs/triton/onnx.md, "The file").
func (e *Error) Error() string { return fmt.Sprintf("onnx runtime error %d: %s", e.Code, e.Message) }

// take makes a Go error of what C reported, or nil.
func take(e *C.conch_error) error {
	if e.code == 0 {
		return nil
	}
	return &Error{Code: int(e.code), Message: C.GoString(&e.message[0])}
}
