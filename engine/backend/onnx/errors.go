package onnx

import (
	"context"
	"errors"

	"conch/configedit/derive"
	"conch/engine/backend/onnx/ort"
	"conch/engine/infer"
)

// asInferError gives an error Triton's code: an error of ONNX Runtime is Internal
// (docs/triton/onnx.md, "The file").
func asInferError(err error) error {
	var already *infer.Error
	var native *ort.Error
	switch {
	case errors.As(err, &already): // the budget's, for what the request made when it ran
		return &infer.Error{Code: already.Code, Message: already.Message, Fate: infer.Failed}
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return infer.Errorf(infer.Cancelled, "the request was cancelled while the model ran")
	case errors.As(err, &native):
		return infer.Errorf(infer.Internal, "%s", native.Error())
	}
	return infer.Errorf(infer.Internal, "%v", err)
}

func firstProblem(problems []*derive.Problem) error {
	if len(problems) == 0 {
		return nil
	}
	return fromProblem(problems[0])
}

func fromProblem(p *derive.Problem) error { return infer.Said(p.Code, p.Triton) }
