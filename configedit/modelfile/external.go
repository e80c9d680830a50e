package modelfile

import (
	"os"
	"slices"
	"strings"
)

// ExternalFiles returns the files that hold weights of an ONNX model, as the model names them; none where it cannot be read.
func ExternalFiles(model string) []string { return onnxFile(model).ExternalFiles }

// Inputs returns the tensors that an ONNX model must be given, and those that it may be given; none where it cannot be read.
func Inputs(model string) (given, free []Tensor) {
	m := onnxFile(model)
	return m.Inputs, m.Overridable
}

// Narrowed says what an ONNX model has been made already: "INT8" where it is quantized, "FP16" where its weights are FP16 and none
// is FP32, or where ONNX Runtime's converter made it; "" otherwise, and where it cannot be read. What is made of it is refused by the same rule, which also reads branches
// (engine/convert/lib/conch_convert/kinds.py).
func Narrowed(model string) string {
	const float, half = 1, 10
	m := onnxFile(model)
	switch {
	case slices.ContainsFunc(m.Operators, computesIntegers):
		return "INT8"
	case m.HalfCasts || slices.Contains(m.Weights, half) && !slices.Contains(m.Weights, float):
		return "FP16"
	}
	return ""
}

// quantized is how the names of those quantized operators of ONNX Runtime begin that do not say so.
var quantized = []string{"QLinear", "QAttention", "QEmbed", "QGemm", "QMoE", "QOrdered"}

// computesIntegers tells a quantized operator by its name.
func computesIntegers(o Operator) bool {
	begins := func(prefix string) bool { return strings.HasPrefix(o.Name, prefix) }
	return strings.Contains(strings.ToLower(o.Name), "quantize") || strings.Contains(o.Name, "Integer") || slices.ContainsFunc(quantized, begins)
}

// onnxFile reads the header of a file; it is empty where that cannot be read.
func onnxFile(model string) *ONNX {
	info, err := os.Stat(model)
	if err != nil || !info.Mode().IsRegular() { // opening a pipe would wait for ever
		return &ONNX{}
	}
	f, err := os.Open(model)
	if err != nil {
		return &ONNX{}
	}
	defer func() { _ = f.Close() }()
	read, err := ReadONNX(f, info.Size())
	if err != nil {
		return &ONNX{}
	}
	return read
}
