package onnx

import (
	"context"
	"errors"
	"strings"

	"conch/configedit/backends"
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
	case errors.As(err, &native) && strings.Contains(native.Message, noHalf):
		return infer.Errorf(infer.Internal, "the GPU does not compute FP16 by WebGPU, and the model needs it: run it on the processor, "+
			"without webgpu in its config or under Devices… of the workbench, or take its FP32 version%s%s", backends.LibrarySays, native.Message)
	case errors.As(err, &native):
		return infer.Errorf(infer.Internal, "%s", native.Error())
	}
	return infer.Errorf(infer.Internal, "%v", err)
}

// noHalf is what ONNX Runtime says when a model with FP16 runs by WebGPU on a GPU without it. A load does not show it.
const noHalf = "requires f16 but the device does not support it"

func firstProblem(problems []*derive.Problem) error {
	if len(problems) == 0 {
		return nil
	}
	return fromProblem(problems[0])
}

func fromProblem(p *derive.Problem) error { return infer.Said(p.Code, p.Triton) }
