package language

import (
	"slices"
	"strings"

	"conch/configedit/modelconfig"
)

// Tensor is an input or output of a model as a client sees it.
type Tensor struct {
	Name     string
	Datatype string  // as the API names it: FP32, BYTES
	Dims     []int64 // as in the config
	Shape    []int64 // effective: with the batch dimension, without the reshape, which only the model sees
	Optional bool
	Labels   string // the label file, relative to the model's folder
}

// Inputs lists the inputs of an effective config.
func Inputs(cfg *modelconfig.ModelConfig) []Tensor {
	list := make([]Tensor, 0, len(cfg.GetInput()))
	for _, in := range cfg.GetInput() {
		list = append(list, Tensor{
			Name: in.Name, Datatype: Datatype(in.DataType), Dims: in.Dims, Shape: shape(cfg, in.Dims), Optional: in.Optional,
		})
	}
	return list
}

// Outputs lists the outputs of an effective config.
func Outputs(cfg *modelconfig.ModelConfig) []Tensor {
	list := make([]Tensor, 0, len(cfg.GetOutput()))
	for _, out := range cfg.GetOutput() {
		list = append(list, Tensor{
			Name: out.Name, Datatype: Datatype(out.DataType), Dims: out.Dims, Shape: shape(cfg, out.Dims), Labels: out.LabelFilename,
		})
	}
	return list
}

func shape(cfg *modelconfig.ModelConfig, dims []int64) []int64 {
	if cfg.GetMaxBatchSize() > 0 {
		return append([]int64{-1}, dims...)
	}
	return slices.Clone(dims)
}

// Datatype returns the API's name for a type of a config: FP32 for TYPE_FP32, BYTES for TYPE_STRING.
func Datatype(t modelconfig.DataType) string {
	if t == modelconfig.DataType_TYPE_STRING {
		return "BYTES"
	}
	return strings.TrimPrefix(t.String(), "TYPE_")
}
