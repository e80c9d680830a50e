package derive

import (
	"fmt"
	"slices"

	"conch/configedit/backends"
	"conch/configedit/modelconfig"
	"conch/configedit/modelfile"
)

// completeOpenVINO fills in what the backend does (docs/triton/backends.md, "OpenVINO"): batching where the layouts of the file
// speak of a batch, and the inputs or outputs of which the config lists none. It refuses types without a name in a config; the load
// says so, and this reports false.
func (e *completion) completeOpenVINO() bool {
	file := e.facts.OpenVINO
	if e.cfg.Backend != backends.OpenVINO || file == nil || !e.facts.AutoComplete {
		return false
	}
	if slices.ContainsFunc(slices.Concat(file.Inputs, file.Outputs), undescribed) {
		return false
	}
	if file.Batches {
		e.fillOpenVINOBatching()
	}
	if len(e.cfg.Input) == 0 {
		for i := range file.Inputs {
			t := &file.Inputs[i]
			dims, reshape := e.openVINODims(t)
			e.cfg.Input = append(e.cfg.Input, &modelconfig.ModelInput{Name: t.Name, DataType: t.Type, Dims: dims, Reshape: reshape})
			e.note(fromModel, "input", i)
		}
	}
	if len(e.cfg.Output) == 0 {
		for i := range file.Outputs {
			t := &file.Outputs[i]
			dims, reshape := e.openVINODims(t)
			e.cfg.Output = append(e.cfg.Output, &modelconfig.ModelOutput{Name: t.Name, DataType: t.Type, Dims: dims, Reshape: reshape})
			e.note(fromModel, "output", i)
		}
	}
	return true
}

// undescribed reports whether a config cannot describe a tensor.
func undescribed(t modelfile.Tensor) bool {
	return !t.Shaped || t.Type == modelconfig.DataType_TYPE_INVALID
}

// fillOpenVINOBatching gives a model a batch size of 1 at least, also where the config lists its inputs and outputs.
func (e *completion) fillOpenVINOBatching() {
	if e.cfg.MaxBatchSize == 0 {
		e.cfg.MaxBatchSize = max(e.facts.maxBatchDefault(), 1)
		e.note(fmt.Sprintf("the layouts in the model file have a batch; without a size it gets %d", e.cfg.MaxBatchSize), "max_batch_size")
	}
	if e.cfg.MaxBatchSize > 1 && e.cfg.SchedulingChoice == nil {
		e.cfg.SchedulingChoice = &modelconfig.ModelConfig_DynamicBatching{DynamicBatching: &modelconfig.ModelDynamicBatching{}}
		e.note("the layouts in the model file have a batch, so requests are joined", "dynamic_batching")
	}
}

// openVINODims are a tensor's dims as the backend writes them: where one is open, all are.
func (e *completion) openVINODims(t *modelfile.Tensor) ([]int64, *modelconfig.ModelTensorReshape) {
	dims, reshape := e.configDims(t)
	if slices.ContainsFunc(t.Dims, func(d modelfile.Dim) bool { return d.Size == -1 }) && reshape == nil {
		dims = slices.Repeat([]int64{-1}, len(dims))
	}
	return dims, reshape
}
