package model

import (
	"time"

	"conch/configedit/modelconfig"
	"conch/configedit/rule"
	"conch/engine/infer"
	"conch/engine/sched"
	"conch/engine/tensor"
)

// defaultIdle is max_sequence_idle_microseconds where the config gives none.
const defaultIdle = time.Second

// sequencingOf reads the rules of a config's sequence_batching (docs/triton/sequences.md, "Slots").
// Without a strategy it is direct.
func sequencingOf(cfg *modelconfig.ModelConfig) sched.Sequencing {
	batching := cfg.GetSequenceBatching()
	s := sched.Sequencing{
		Model: cfg.Name, MaxBatch: int64(cfg.MaxBatchSize), Idle: microseconds(batching.MaxSequenceIdleMicroseconds),
		Slots: slots(cfg.MaxBatchSize), MaxDelay: microseconds(batching.GetDirect().GetMaxQueueDelayMicroseconds()),
		Utilization: batching.GetDirect().GetMinimumSlotUtilization(), Ragged: inputsWith(cfg, (*modelconfig.ModelInput).GetAllowRaggedBatch),
		Iterative: batching.IterativeSequence, Fault: stateFault(cfg),
	}
	if s.Idle == 0 {
		s.Idle = defaultIdle
	}
	for _, in := range batching.ControlInput {
		for _, c := range in.Control {
			if c.Kind == modelconfig.ModelSequenceBatching_Control_CONTROL_SEQUENCE_CORRID {
				s.IDs = sched.IDs{Control: in.Name, Type: tensor.DataType(c.DataType)}
			}
		}
	}
	if oldest := batching.GetOldest(); oldest != nil {
		if oldest.MaxCandidateSequences > 0 { // as many as a batch holds otherwise (seen on Triton 24.10)
			s.Slots = slots(oldest.MaxCandidateSequences)
		}
		s.Oldest = &sched.Batching{
			MaxBatch: int64(cfg.MaxBatchSize), MaxDelay: microseconds(oldest.MaxQueueDelayMicroseconds), Ragged: s.Ragged,
			Ordered: oldest.PreserveOrdering,
		}
		for _, size := range oldest.PreferredBatchSize {
			s.Oldest.Preferred = append(s.Oldest.Preferred, int64(size))
		}
	}
	return s
}

// maxSlots bounds the memory that a mistyped number takes.
const maxSlots = 1 << 16

func slots(n int32) int { return int(min(max(n, 1), maxSlots)) }

// stateFault finds what is wrong with a config's states and shows only when a sequence begins: the
// model loads and answers no request (docs/triton/sequences.md, "States"). In Triton states can
// grow on GPUs only; here they grow in any memory, so that is no fault.
func stateFault(cfg *modelconfig.ModelConfig) error {
	for _, s := range cfg.GetSequenceBatching().GetState() {
		if s.UseGrowableMemory && !s.UseSameBufferForInputOutput {
			return infer.Errorf(infer.Internal, "Failed to initialize sequence state: %s (The field is called use_same_buffer_for_input_output.)",
				rule.ST10.Sentence(s.InputName))
		}
	}
	return nil
}
