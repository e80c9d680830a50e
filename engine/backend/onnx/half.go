package onnx

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"conch/configedit/backends"
	"conch/configedit/modelconfig"
	"conch/configedit/modelfile"
	"conch/engine/backend"
	"conch/engine/backend/onnx/ort"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// halfModel is the file of a model that adds two numbers of FP16 to themselves.
const halfModel = "\x08\x08\x12\x08onnxtest::\x0a\x10\x0a\x01X\x0a\x01X\x12\x01Y\x22\x03Add:\x00\x12\x04testZ\x0f\x0a\x01X\x12\x0a\x0a\x08\x08\x0a\x12\x04\x0a\x02" +
	"\x08\x02b\x0f\x0a\x01Y\x12\x0a\x0a\x08\x08\x0a\x12\x04\x0a\x02\x08\x02B\x04\x0a\x00\x10\x12"

// checkHalf refuses a model that computes in FP16 where WebGPU runs it on an adapter without FP16. ONNX Runtime makes its session there and
// fails its first request. No question tells what the adapter has, so a model of two numbers is run.
func (b *Backend) checkHalf(ctx context.Context, spec backend.Spec, at placement) error {
	chosen, err := b.accelerators(spec.Config, nil, at, false)
	if err != nil {
		return nil // the session is there, so there is no error
	}
	i := slices.IndexFunc(chosen, func(a appended) bool {
		_, is := a.Accelerator.(*webGPU)
		return is
	})
	if i < 0 || !computesHalf(headerOf(spec)) {
		return nil
	}
	err = b.runHalf(ctx, chosen[i])
	var native *ort.Error
	if !errors.As(err, &native) || !strings.Contains(native.Message, noHalf) {
		return nil // what else fails here says nothing of the model
	}
	return infer.Errorf(infer.Unsupported, "model '%s' computes in FP16, which the GPU does not do by WebGPU: %s, or take its FP32 version%s%s",
		spec.Name, chosen[i].use.without(), backends.LibrarySays, native.Message)
}

// computesHalf reports whether a model has tensors of FP16.
func computesHalf(m *modelfile.ONNX) bool {
	if m == nil {
		return false
	}
	half := func(t modelfile.Tensor) bool { return t.Type == modelconfig.DataType_TYPE_FP16 }
	isHalf := func(number int64) bool {
		return modelfile.ONNXDataType(int32(number)) == modelconfig.DataType_TYPE_FP16
	}
	return m.HalfCasts || slices.ContainsFunc(m.Weights, isHalf) || slices.ContainsFunc(slices.Concat(m.Inputs, m.Outputs), half)
}

// runHalf runs halfModel by an accelerator.
func (b *Backend) runHalf(ctx context.Context, by appended) error {
	library := b.library.Load()
	dir, err := os.MkdirTemp("", "conch-half")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file := filepath.Join(dir, "half.onnx")
	if err := os.WriteFile(file, []byte(halfModel), 0o600); err != nil {
		return err
	}
	options, err := library.NewOptions()
	if err != nil {
		return err
	}
	defer options.Close()
	if err := by.Append(options, by.use); err != nil {
		return err
	}
	session, err := library.NewSession(ctx, file, options, 0)
	if err != nil {
		return err
	}
	defer session.Close()
	runner, err := session.NewRunner(nil)
	if err != nil {
		return err
	}
	defer runner.Close()
	in := tensor.Tensor{Name: "X", Type: tensor.FP16, Shape: tensor.Shape{2}, Data: make([]byte, 4)}
	if err := runner.Input(0, &in, in.Shape); err != nil {
		return err
	}
	runner.Want(0)
	return runner.Run(ctx)
}
