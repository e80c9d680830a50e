package complete

import (
	"fmt"
	"strings"

	"conch/configedit/backends"
	"conch/configedit/check"
	"conch/configedit/modelconfig"
)

// tensor is an input or output of a config.
type tensor struct {
	name, side string
	typ        modelconfig.DataType
	dims       []int64
}

func tensors(cfg *modelconfig.ModelConfig, side string) []tensor {
	var list []tensor
	if side == "input" {
		for _, in := range cfg.GetInput() {
			list = append(list, tensor{in.Name, side, in.DataType, in.Dims})
		}
		return list
	}
	for _, out := range cfg.GetOutput() {
		list = append(list, tensor{out.Name, side, out.DataType, out.Dims})
	}
	return list
}

// typeAndShape returns the detail that is shown with a tensor's name: FP32 [-1, 64].
func typeAndShape(cfg *modelconfig.ModelConfig, t tensor) string {
	return typeName(t.typ) + " " + shapeText(effective(cfg, t.dims))
}

// typeName is a data type as requests have it; strings are BYTES there.
func typeName(t modelconfig.DataType) string {
	if t == modelconfig.DataType_TYPE_STRING {
		return "BYTES"
	}
	return strings.TrimPrefix(t.String(), "TYPE_")
}

// effective is a shape with the batch dimension.
func effective(cfg *modelconfig.ModelConfig, dims []int64) []int64 {
	if cfg.GetMaxBatchSize() > 0 {
		return append([]int64{-1}, dims...)
	}
	return dims
}

func shapeText(dims []int64) string { return strings.ReplaceAll(fmt.Sprint(dims), " ", ", ") }

// runs returns the name of what runs a model.
func runs(m *check.Model) string {
	if m.Effective.GetPlatform() == backends.Ensemble {
		return backends.Ensemble
	}
	return m.Effective.GetBackend()
}

// signature lists a model's inputs and outputs, a line each.
func signature(m *check.Model) string {
	var lines []string
	for _, side := range []string{"input", "output"} {
		for _, t := range tensors(m.Effective, side) {
			lines = append(lines, fmt.Sprintf("%s %q: %s", side, t.name, typeAndShape(m.Effective, t)))
		}
	}
	return strings.Join(lines, "\n")
}
