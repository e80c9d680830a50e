package infer

import (
	"errors"
	"fmt"
)

// Code is one of Triton's error codes (TRITONSERVER_Error_Code). Each transport translates it once:
// to an HTTP status (docs/triton/http.md, "Status codes"), to a gRPC status (docs/triton/grpc.md,
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

// String returns the text that Triton puts before a message: "Invalid argument"
// (docs/triton/validation.md, "Error codes").
func (c Code) String() string {
	if c < Unknown || c > Cancelled {
		return codeTexts[Unknown]
	}
	return codeTexts[c]
}

// Error is an error for a client: one of Triton's codes and a sentence in Triton's words.
type Error struct {
	Code    Code
	Message string
	Fate    Fate
}

// Fate is how far a failed request came. Triton counts these cases separately
// (docs/triton/metrics.md, "What counts as what").
type Fate int

// The fates.
const (
	Failed      Fate = iota // it ran, or was about to
	TurnedAway              // it never entered a queue and is not counted
	Expired                 // it waited longer than it may
	Answered                // it already counts as a success; an answer after its execution failed
	Undelivered             // the model answered, and the answer is too large to be passed on: it counts as a success
)

// Counted returns an error with the fate Answered.
func Counted(err error) error { return counted{err} }

type counted struct{ error }

func (c counted) Unwrap() error { return c.error }

// TooLarge returns an error of an answer that cannot be passed on, with the fate Undelivered. Other errors, such as that of a connection or of
// a client that left, stay as they are.
func TooLarge(err error) error {
	var e *Error
	if !errors.As(err, &e) || e.Code == Cancelled {
		return err
	}
	return undelivered{err}
}

type undelivered struct{ error }

func (u undelivered) Unwrap() error { return u.error }

// Ran returns the error of a request that has begun to run: with the fate Failed where it has TurnedAway.
func Ran(err error) error {
	if FateOf(err) != TurnedAway {
		return err
	}
	return &Error{Code: CodeOf(err), Message: err.Error()}
}

// FateOf returns the Fate in err's chain.
func FateOf(err error) Fate {
	var c counted
	if errors.As(err, &c) {
		return Answered
	}
	var u undelivered
	if errors.As(err, &u) {
		return Undelivered
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Fate
	}
	return Failed
}

// Error returns only the sentence, as Triton's APIs do.
func (e *Error) Error() string { return e.Message }

// Errorf returns an Error.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// CodeOf returns the Code in err's chain; an error without one is Internal.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return Internal
}
