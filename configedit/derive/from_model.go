package derive

import (
	"errors"
	"fmt"
	"slices"

	"conch/configedit/backends"
	"conch/configedit/modelconfig"
	"conch/configedit/modelfile"
	"conch/configedit/rule"
)

// FromModel makes a config for a model file, as somebody would write it: backend, batching and tensors, without
// what Triton fills in by itself anyway. The name is left to the folder. The error is a *Problem.
func FromModel(model *modelfile.ONNX) (*modelconfig.ModelConfig, []Filled, error) {
	cfg := &modelconfig.ModelConfig{Backend: backends.ONNXRuntime}
	if !model.Shaped() {
		return cfg, []Filled{{Path: at("backend"), Reason: "the file leaves shapes out; ONNX Runtime infers them, and Triton fills in the rest"}}, nil
	}
	filled, err := CompleteONNX(cfg, model)
	return cfg, filled, err
}

// FromFacts makes a config for the model file in the facts. The error says why there is nothing to make
// one from, or is a *Problem.
func FromFacts(facts Facts) (*modelconfig.ModelConfig, []Filled, error) {
	switch {
	case facts.ONNX != nil:
		return FromModel(facts.ONNX)
	case facts.Torch != nil:
		return FromTorch(facts.Torch)
	case facts.SavedModel != nil:
		return FromSavedModel(facts.SavedModel)
	case facts.OpenVINO != nil:
		cfg, filled := FromOpenVINO(facts.OpenVINO)
		return cfg, filled, nil
	case facts.Plan != nil:
		return &modelconfig.ModelConfig{Backend: backends.TensorRT},
			[]Filled{{Path: at("backend"), Reason: "on a GPU, Triton fills in the rest from the plan"}}, nil
	}
	return nil, nil, errors.New("there is no model file that describes its inputs; ONNX files, TorchScript archives and TensorFlow saved models do")
}

// Guesses for values that a TorchScript archive does not have. The user corrects them.
const (
	guessedType = "a guess: TorchScript does not store data types"
	guessedDims = "a guess: TorchScript does not store shapes; without max_batch_size, dims begin with the batch"
)

// FromTorch makes a config from the arguments of forward. Types and shapes are not in the file, so that those of
// tensors are guesses, which Filled says.
func FromTorch(model *modelfile.TorchScript) (*modelconfig.ModelConfig, []Filled, error) {
	switch {
	case !model.Known || !model.Forward:
		return nil, nil, errors.New("the archive's program does not show the arguments of forward")
	case len(model.Arguments) == 0:
		return nil, nil, errors.New("forward takes no arguments, and Triton serves no PyTorch model without an input")
	case model.Dictionary():
		return nil, nil, errors.New("forward takes a dictionary; its keys are the names of the inputs, and the archive does not hold them")
	}
	if problems := CheckTorch(&modelconfig.ModelConfig{}, model); problems[0].Rule == rule.PT2 {
		return nil, nil, problems[0]
	}
	cfg := &modelconfig.ModelConfig{Backend: backends.PyTorch}
	var filled []Filled
	guess := func(side string, i int, typ string) (modelconfig.DataType, []int64) {
		filled = append(filled, Filled{Path: at(side, i, "dims"), Reason: guessedDims})
		if typ == "List[str]" {
			return modelconfig.DataType_TYPE_STRING, []int64{-1}
		}
		filled = append(filled, Filled{Path: at(side, i, "data_type"), Reason: guessedType})
		return modelconfig.DataType_TYPE_FP32, []int64{-1}
	}
	for i, a := range model.Arguments {
		in := &modelconfig.ModelInput{Name: a.Name}
		in.DataType, in.Dims = guess("input", i, a.Type)
		cfg.Input = append(cfg.Input, in)
	}
	types := model.Outputs()
	if types == nil {
		types = []string{"Tensor"}
	}
	for i, typ := range types {
		out := &modelconfig.ModelOutput{Name: fmt.Sprintf("OUTPUT__%d", i)}
		out.DataType, out.Dims = guess("output", i, typ)
		cfg.Output = append(cfg.Output, out)
	}
	return cfg, filled, nil
}

// FromSavedModel makes a config from the signature that TensorFlow serves by itself. With a first dimension of any
// size everywhere, that is taken for the batch, as the backend does.
func FromSavedModel(model *modelfile.SavedModel) (*modelconfig.ModelConfig, []Filled, error) {
	cfg := &modelconfig.ModelConfig{Platform: backends.SavedModel.Platform}
	s, err := SavedSignature(cfg, model)
	switch {
	case err != nil && err.Error() == "":
		return nil, nil, errors.New("the saved model has no graph with the tag serve alone; parameters TF_GRAPH_TAG chooses another")
	case err != nil:
		return nil, nil, err
	case s == nil:
		return nil, nil, errors.New("the saved model has several signatures, and none is called serving_default; parameters TF_SIGNATURE_DEF chooses one")
	}
	var filled []Filled
	skip := 0
	if !slices.ContainsFunc(slices.Concat(s.Inputs, s.Outputs), func(t modelfile.Tensor) bool { return len(t.Dims) == 0 || t.Dims[0].Size != -1 }) {
		skip, cfg.MaxBatchSize = 1, DefaultMaxBatchSize
		filled = append(filled, Filled{Path: at("max_batch_size"), Reason: "every tensor of the signature begins with a dimension of any size"})
	}
	for _, t := range s.Inputs {
		dims, reshape := savedDims(t, skip)
		cfg.Input = append(cfg.Input, &modelconfig.ModelInput{Name: t.Name, DataType: t.Type, Dims: dims, Reshape: reshape})
	}
	for _, t := range s.Outputs {
		dims, reshape := savedDims(t, skip)
		cfg.Output = append(cfg.Output, &modelconfig.ModelOutput{Name: t.Name, DataType: t.Type, Dims: dims, Reshape: reshape})
	}
	return cfg, filled, nil
}

// FromOpenVINO makes a config that lists what the file says: the backend itself would take sizes away where others are open, and then
// refuse the config. It sets the batch dimension, so that a first dimension of any size everywhere is taken for the batch.
func FromOpenVINO(model *modelfile.OpenVINO) (*modelconfig.ModelConfig, []Filled) {
	cfg := &modelconfig.ModelConfig{Backend: backends.OpenVINO}
	tensors := slices.Concat(model.Inputs, model.Outputs)
	if len(tensors) == 0 || slices.ContainsFunc(tensors, undescribed) {
		return cfg, []Filled{{Path: at("backend"), Reason: "OpenVINO reads the inputs and outputs from the file when the model is loaded: the config leaves them out"}}
	}
	var filled []Filled
	skip, without := 0, func(t modelfile.Tensor) bool { return len(t.Dims) == 0 }
	open := !slices.ContainsFunc(tensors, func(t modelfile.Tensor) bool { return without(t) || t.Dims[0].Size != -1 })
	if open || model.Batches && !slices.ContainsFunc(tensors, without) {
		reason := "the layout of every tensor in the file has a batch"
		if !model.Batches {
			reason = "every tensor in the file begins with a dimension of any size"
		}
		skip, cfg.MaxBatchSize = 1, DefaultMaxBatchSize
		filled = append(filled, Filled{Path: at("max_batch_size"), Reason: reason})
	}
	for _, t := range model.Inputs {
		dims, reshape := savedDims(t, skip)
		cfg.Input = append(cfg.Input, &modelconfig.ModelInput{Name: t.Name, DataType: t.Type, Dims: dims, Reshape: reshape})
	}
	for _, t := range model.Outputs {
		dims, reshape := savedDims(t, skip)
		cfg.Output = append(cfg.Output, &modelconfig.ModelOutput{Name: t.Name, DataType: t.Type, Dims: dims, Reshape: reshape})
	}
	return cfg, filled
}

// savedDims are the dims of a tensor less the batch. One without any other has a single element, and an empty reshape takes
// that dimension away again.
func savedDims(t modelfile.Tensor, skip int) ([]int64, *modelconfig.ModelTensorReshape) {
	dims := t.Sizes()
	switch {
	case len(dims) > skip:
		return dims[skip:], nil
	case len(dims) == skip && skip > 0:
		return []int64{1}, &modelconfig.ModelTensorReshape{}
	}
	return []int64{1}, nil
}
