package ort

// #include "shim.h"
import "C"

import "fmt"

// Error is an error of ONNX Runtime with its number (OrtErrorCode).
type Error struct {
	Code    int
	Message string
}

// Error returns the message in Triton's form (docs/triton/onnx.md, "The file").
func (e *Error) Error() string { return fmt.Sprintf("onnx runtime error %d: %s", e.Code, e.Message) }

// take converts an error of C to a Go error; nil stays nil.
func take(e *C.conch_error) error {
	if e.code == 0 {
		return nil
	}
	return &Error{Code: int(e.code), Message: C.GoString(&e.message[0])}
}
