package derive

import (
	"slices"

	"conch/configedit/backends"
	"conch/configedit/modelconfig"
	"conch/configedit/modelfile"
)

const fromSignature = "read from the signature of the saved model"

// completeSaved fills in what a config leaves out of the signature that it speaks of, as the TensorFlow backend does
// (tensorflow_backend, AutoCompleteHelper). A config that the backend would refuse stays as it is: the checks say why. It reports whether
// the backend does the same.
func (e *completion) completeSaved() bool {
	if e.cfg.Backend != backends.TensorFlow || e.facts.SavedModel == nil || !e.facts.AutoComplete {
		return false
	}
	signature, err := SavedSignature(e.cfg, e.facts.SavedModel)
	if err != nil || signature == nil {
		return false
	}
	s := &savedCompletion{completion: e, signature: signature}
	batches, ok := s.batches()
	if !ok {
		return false
	}
	s.add()
	if batches {
		s.skip = 1
	}
	for i, in := range e.cfg.Input {
		s.fill("input", i, find(signature.Inputs, in.Name), &in.DataType, &in.Dims, &in.Reshape)
	}
	for i, out := range e.cfg.Output {
		s.fill("output", i, find(signature.Outputs, out.Name), &out.DataType, &out.Dims, &out.Reshape)
	}
	if batches {
		s.fillBatchSize()
	}
	return true
}

// savedCompletion is a config that is completed from a signature.
type savedCompletion struct {
	*completion
	signature *modelfile.SavedSignature
	added     [2]int // inputs and outputs of the config as written
	skip      int    // dimensions of the signature that the config does not have
}

// batches reports whether the model takes batches: the signature allows it, and the dims of the config do not speak against it.
// ok is false where the backend refuses the config.
func (s *savedCompletion) batches() (batches, ok bool) {
	tensors := slices.Concat(s.signature.Inputs, s.signature.Outputs)
	allowed := !slices.ContainsFunc(tensors, func(t modelfile.Tensor) bool { return len(t.Dims) == 0 || t.Dims[0].Size != -1 })
	if !allowed {
		return false, s.cfg.MaxBatchSize <= 0
	}
	var with, without bool
	hint := func(t *modelfile.Tensor, dims []int64) {
		if t != nil && len(t.Dims) > 0 && len(dims) > 0 {
			with, without = with || len(dims) == len(t.Dims)-1, without || len(dims) != len(t.Dims)-1
		}
	}
	for _, in := range s.cfg.Input {
		if in.AllowRaggedBatch {
			return true, true
		}
		dims, _ := shapeOf(in.Dims, in.Reshape)
		hint(find(s.signature.Inputs, in.Name), dims)
	}
	for _, out := range s.cfg.Output {
		dims, _ := shapeOf(out.Dims, out.Reshape)
		hint(find(s.signature.Outputs, out.Name), dims)
	}
	return !without, !with || !without
}

// add appends the inputs that the config does not list, and the outputs where it lists none.
func (s *savedCompletion) add() {
	taken := s.made()
	for _, in := range s.cfg.Input {
		taken[in.Name] = true
	}
	s.added = [2]int{len(s.cfg.Input), len(s.cfg.Output)}
	for _, t := range s.signature.Inputs {
		if !taken[t.Name] {
			s.cfg.Input = append(s.cfg.Input, &modelconfig.ModelInput{Name: t.Name})
		}
	}
	if len(s.cfg.Output) > 0 {
		return
	}
	for _, t := range s.signature.Outputs {
		if !taken[t.Name] {
			s.cfg.Output = append(s.cfg.Output, &modelconfig.ModelOutput{Name: t.Name})
		}
	}
}

// made are the names of the tensors that the server makes itself.
func (s *savedCompletion) made() map[string]bool {
	names := map[string]bool{}
	for _, c := range s.cfg.GetSequenceBatching().GetControlInput() {
		names[c.Name] = true
	}
	for _, state := range s.cfg.GetSequenceBatching().GetState() {
		names[state.InputName], names[state.OutputName] = true, true
	}
	for _, b := range s.cfg.BatchInput {
		for _, name := range b.TargetName {
			names[name] = true
		}
	}
	return names
}

// fill fills in the type and the dims of a tensor.
func (s *savedCompletion) fill(side string, i int, t *modelfile.Tensor, typ *modelconfig.DataType, dims *[]int64, reshape **modelconfig.ModelTensorReshape) {
	if t == nil {
		return
	}
	isNew := side == "input" && i >= s.added[0] || side == "output" && i >= s.added[1]
	if isNew {
		s.note(fromSignature, side, i)
	}
	if *typ == modelconfig.DataType_TYPE_INVALID && t.Type != *typ {
		*typ = t.Type
		if !isNew {
			s.note(fromSignature, side, i, "data_type")
		}
	}
	if len(*dims) > 0 || len(t.Dims) == 0 {
		return
	}
	*dims = t.Sizes()[s.skip:]
	if len(*dims) == 0 {
		*dims, *reshape = []int64{1}, &modelconfig.ModelTensorReshape{}
	}
	if !isNew {
		s.note(fromSignature, side, i, "dims")
	}
}

func (s *savedCompletion) fillBatchSize() {
	if s.cfg.MaxBatchSize == 0 {
		s.cfg.MaxBatchSize = DefaultMaxBatchSize
		s.note("every tensor of the signature begins with a dimension of any size", "max_batch_size")
	}
	if s.cfg.MaxBatchSize > 1 && s.cfg.GetDynamicBatching() == nil && s.cfg.GetSequenceBatching() == nil {
		s.cfg.SchedulingChoice = &modelconfig.ModelConfig_DynamicBatching{DynamicBatching: &modelconfig.ModelDynamicBatching{}}
		s.note("the model can batch, so requests are joined", "dynamic_batching")
	}
}
