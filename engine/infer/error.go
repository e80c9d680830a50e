package infer

import (
	"errors"
	"fmt"
)

// Code is one of Triton's error codes (TRITONSERVER_Error_Code). Each edge translates it once: to
// an HTTP status (docs/triton/http.md, "Status codes"), to a gRPC status (docs/triton/grpc.md,
// "Status codes").
type Code int

// Triton's error codes, in Triton's order.
const (
	Unknown Code = iota
	Internal
	NotFound
	InvalidArg
	Unavailable
	Unsupported
	AlreadyExists
	Cancelled
)

var codeTexts = [...]string{
	"Unknown", "Internal", "Not found", "Invalid argument",
	"Unavailable", "Unsupported", "Already exists", "Cancelled",
}

// String is the text that Triton puts before a message: "Invalid argument"
// (docs/triton/validation.md, "Error codes").
func (c Code) String() string {
	if c < Unknown || c > Cancelled {
		return codeTexts[Unknown]
	}
	return codeTexts[c]
}

// Error is what a client is told: one of Triton's codes and a sentence in Triton's words.
type Error struct {
	Code    Code
	Message string
	Fate    Fate
}

// Fate says how far a failed request came. Triton's counters tell these cases apart
// (docs/triton/metrics.md, "What counts as what").
type Fate int

// The fates.
const (
	Failed     Fate = iota // it ran, or was about to
	TurnedAway             // it was never let into a queue: counted nowhere
	Expired                // it waited longer than it may
	Answered               // it counts as a success already: an answer after its execution failed
)

// Counted gives an error the fate Answered, whatever it is.
func Counted(err error) error { return counted{err} }

type counted struct{ error }

func (c counted) Unwrap() error { return c.error }

// FateOf finds the Fate in err's chain.
func FateOf(err error) Fate {
	var c counted
	if errors.As(err, &c) {
		return Answered
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Fate
	}
	return Failed
}

// Error returns the sentence alone, as Triton's APIs do.
func (e *Error) Error() string { return e.Message }

// Errorf makes an Error.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// CodeOf finds the Code in err's chain; an error without one is Internal.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return Internal
}
