package derive

import (
	"fmt"

	"google.golang.org/protobuf/proto"

	"conch/configedit/backends"
	"conch/configedit/modelconfig"
)

// Answer is what the auto_complete_config of a model's program answered in a run.
type Answer struct {
	// Config has the fields that a backend may complete (Completion).
	Config *modelconfig.ModelConfig
	// Reason says where the values come from.
	Reason string
}

// TakeOver returns cfg with what a backend has completed. Nothing else that the backend changed counts
// (docs/triton/completion.md, "Order"). If the backend has changed a scheduling choice that was there, Triton drops all of
// its changes: then TakeOver returns cfg itself, and false.
func TakeOver(cfg, completed *modelconfig.ModelConfig) (*modelconfig.ModelConfig, bool) {
	if scheduler(cfg) != "" && scheduler(cfg) != scheduler(completed) {
		return cfg, false
	}
	taken := proto.Clone(cfg).(*modelconfig.ModelConfig)
	done := proto.Clone(completed).(*modelconfig.ModelConfig)
	taken.MaxBatchSize, taken.Input, taken.Output = done.MaxBatchSize, done.Input, done.Output
	if taken.SchedulingChoice == nil {
		taken.SchedulingChoice = done.SchedulingChoice
	}
	if done.ModelTransactionPolicy != nil {
		taken.ModelTransactionPolicy = done.ModelTransactionPolicy
	}
	return taken, true
}

// Completion returns a config with only those fields of cfg that a backend may complete.
func Completion(cfg *modelconfig.ModelConfig) *modelconfig.ModelConfig {
	only, _ := TakeOver(&modelconfig.ModelConfig{}, cfg)
	return only
}

// scheduler names the scheduling choice of a config; "" for none.
func scheduler(cfg *modelconfig.ModelConfig) string {
	if cfg.GetSchedulingChoice() == nil {
		return ""
	}
	return fmt.Sprintf("%T", cfg.SchedulingChoice)
}

// completeAnswered fills in what the program of a Python model has answered.
func (e *completion) completeAnswered() {
	answer := e.facts.Answer
	if answer == nil || !e.facts.AutoComplete || e.cfg.Backend != backends.Python {
		return
	}
	before := e.cfg
	taken, ok := TakeOver(before, answer.Config)
	if !ok {
		return
	}
	e.cfg = taken
	if before.MaxBatchSize != taken.MaxBatchSize {
		e.note(answer.Reason, "max_batch_size")
	}
	noteTensors(e, "input", before.Input, taken.Input)
	noteTensors(e, "output", before.Output, taken.Output)
	if before.SchedulingChoice == nil && taken.GetDynamicBatching() != nil {
		e.note(answer.Reason, "dynamic_batching")
	}
	if before.SchedulingChoice == nil && taken.GetSequenceBatching() != nil {
		e.note(answer.Reason, "sequence_batching")
	}
	if !proto.Equal(before.ModelTransactionPolicy, taken.ModelTransactionPolicy) {
		e.note(answer.Reason, "model_transaction_policy")
	}
}

// described is an input or output.
type described interface {
	GetDataType() modelconfig.DataType
	GetDims() []int64
}

// noteTensors notes which inputs or outputs are new, and what was filled into the others.
func noteTensors[T described](e *completion, side string, before, taken []T) {
	for i, t := range taken {
		if i >= len(before) {
			e.note(e.facts.Answer.Reason, side, i)
			continue
		}
		if before[i].GetDataType() != t.GetDataType() {
			e.note(e.facts.Answer.Reason, side, i, "data_type")
		}
		if len(before[i].GetDims()) != len(t.GetDims()) {
			e.note(e.facts.Answer.Reason, side, i, "dims")
		}
	}
}
