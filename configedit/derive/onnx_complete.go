package derive

import (
	"fmt"

	"conch/configedit/backends"
	"conch/configedit/modelconfig"
	"conch/configedit/modelfile"
	"conch/configedit/rule"
)

// CompleteONNX changes cfg as Triton's ONNX backend does when it may (docs/triton/completion.md,
// "ONNX models"): it takes tensors, max_batch_size and dynamic batching from the model. A config
// that lists both inputs and outputs stays as it is. The error is a
// *Problem.
func CompleteONNX(cfg *modelconfig.ModelConfig, model *modelfile.ONNX) ([]Filled, error) {
	facts := Facts{ModelName: cfg.Name, ONNX: model, AutoComplete: true}
	return run(cfg, &facts, (*completion).fillFromONNX)
}

func (e *completion) completeONNX() error {
	if e.cfg.Backend != backends.ONNXRuntime || e.facts.ONNX == nil || !e.facts.AutoComplete || !e.facts.ONNX.Shaped() {
		return nil
	}
	return e.fillFromONNX()
}

func (e *completion) fillFromONNX() error {
	if len(e.cfg.Input)+len(e.cfg.BatchInput) > 0 && len(e.cfg.Output) > 0 {
		return nil
	}
	if err := e.onlyTensors(); err != nil {
		return err
	}
	if err := e.fillBatching(e.facts.ONNX.Batchable()); err != nil {
		return err
	}
	e.fillInputs()
	e.fillOutputs()
	return nil
}

// onlyTensors refuses a model with an input or output of another kind (docs/triton/completion.md,
// "ONNX models", step 10).
func (e *completion) onlyTensors() error {
	model := e.facts.ONNX
	for i := range model.Inputs {
		if p := kindProblem(&model.Inputs[i], "input"); p != nil {
			return p
		}
	}
	for i := range model.Outputs {
		if p := kindProblem(&model.Outputs[i], "output"); p != nil {
			return p
		}
	}
	return nil
}

func (e *completion) fillBatching(batchable bool) error {
	if !batchable {
		if e.cfg.MaxBatchSize == 0 {
			return nil
		}
		return &Problem{
			Rule: rule.AC2, Code: rule.Invalid, Path: at("max_batch_size"),
			Triton: rule.AC2.Sentence(e.cfg.Name),
		}
	}
	if n := e.facts.maxBatchDefault(); e.cfg.MaxBatchSize == 0 && n > 0 {
		e.cfg.MaxBatchSize = n
		e.note(fmt.Sprintf("the model can batch; without a size it gets %d", n), "max_batch_size")
	}
	if e.cfg.MaxBatchSize > 1 && e.cfg.SchedulingChoice == nil {
		e.cfg.SchedulingChoice = &modelconfig.ModelConfig_DynamicBatching{
			DynamicBatching: &modelconfig.ModelDynamicBatching{},
		}
		e.note("the model can batch, so requests are joined", "dynamic_batching")
	}
	return nil
}

const fromModel = "read from the model file"

func (e *completion) fillInputs() {
	if len(e.cfg.Input) > 0 {
		return
	}
	for i := range e.facts.ONNX.Inputs {
		t := &e.facts.ONNX.Inputs[i]
		dims, reshape := e.configDims(t)
		e.cfg.Input = append(e.cfg.Input, &modelconfig.ModelInput{
			Name: t.Name, DataType: t.Type, Dims: dims, Reshape: reshape,
		})
		e.note(fromModel, "input", i)
	}
}

func (e *completion) fillOutputs() {
	if len(e.cfg.Output) > 0 {
		return
	}
	for i := range e.facts.ONNX.Outputs {
		t := &e.facts.ONNX.Outputs[i]
		dims, reshape := e.configDims(t)
		e.cfg.Output = append(e.cfg.Output, &modelconfig.ModelOutput{
			Name: t.Name, DataType: t.Type, Dims: dims, Reshape: reshape,
		})
		e.note(fromModel, "output", i)
	}
}

// configDims are a tensor's dims as a config has them (docs/triton/completion.md, "ONNX models",
// step 7): without the batch dimension; for a scalar [1], with an empty reshape where the model
// batches.
func (e *completion) configDims(t *modelfile.Tensor) ([]int64, *modelconfig.ModelTensorReshape) {
	dims := t.Sizes()
	if e.cfg.MaxBatchSize > 0 && len(dims) > 0 {
		dims = dims[1:]
	}
	if len(dims) > 0 {
		return dims, nil
	}
	if e.cfg.MaxBatchSize > 0 {
		return []int64{1}, &modelconfig.ModelTensorReshape{}
	}
	return []int64{1}, nil
}
