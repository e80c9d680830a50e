package model

import (
	"slices"
	"time"

	"conch/configedit/modelconfig"
	"conch/configedit/rule"
	"conch/engine/budget"
	"conch/engine/infer"
	"conch/engine/metrics"
	"conch/engine/sched"
	"conch/engine/tensor"
)

// scheduling is what a version's scheduler is made from.
type scheduling struct {
	config   *modelconfig.ModelConfig
	timers   sched.Timers
	wiring   *sequenceWiring // nil without sequence batching
	counters *metrics.Counters
	memory   *budget.Budget // of answers that wait for those of earlier requests
}

// over makes the scheduler that the config asks for, over the instances that get requests.
func (s scheduling) over(instances []*instance) infer.Handler {
	executors := make([]sched.Executor, 0, len(instances))
	for _, in := range instances {
		executors = append(executors, in)
	}
	switch {
	case s.config.GetSequenceBatching() != nil:
		for i := range executors {
			executors[i] = sched.InTurn(executors[i])
		}
		rules := sequencingOf(s.config)
		rules.Timers = s.timers
		if rules.Oldest != nil {
			rules.Oldest.Account = s.account
		}
		return sched.NewSequence(executors, rules, s.wiring, s.counters)
	case s.config.GetDynamicBatching() != nil:
		rules := batchingOf(s.config)
		rules.Timers, rules.Account = s.timers, s.account
		return sched.NewDynamic(executors, rules, s.counters)
	case slices.ContainsFunc(instances, func(in *instance) bool { return in.license != nil }):
		return sched.NewDynamic(executors, sched.Batching{}, s.counters) // one at a time, first come, first served
	}
	return sched.NewDirect(executors, s.counters)
}

// account opens the account of a request whose answers wait.
func (s scheduling) account() sched.Account {
	account := s.memory.Open()
	return &account
}

// batchingOf returns the rules of a config's dynamic_batching (docs/triton/schedulers.md, "Dynamic
// batching").
func batchingOf(cfg *modelconfig.ModelConfig) sched.Batching {
	dynamic := cfg.GetDynamicBatching()
	b := sched.Batching{
		MaxBatch: int64(cfg.MaxBatchSize),
		MaxDelay: microseconds(dynamic.MaxQueueDelayMicroseconds),
		Ordered:  dynamic.PreserveOrdering, DefaultLevel: dynamic.DefaultPriorityLevel,
		Ragged: inputsWith(cfg, (*modelconfig.ModelInput).GetAllowRaggedBatch), ByContent: inputsWith(cfg, (*modelconfig.ModelInput).GetIsShapeTensor),
	}
	for _, size := range dynamic.PreferredBatchSize {
		b.Preferred = append(b.Preferred, int64(size))
	}
	standard := policyOf(dynamic.DefaultQueuePolicy)
	b.Levels = append(b.Levels, standard)
	if dynamic.PriorityLevels > 0 {
		b.Levels = levels(dynamic, standard)
	}
	return b
}

// inputsWith returns the names of the inputs for which holds is true; nil for none.
func inputsWith(cfg *modelconfig.ModelConfig, holds func(*modelconfig.ModelInput) bool) map[string]bool {
	var names map[string]bool
	for _, in := range cfg.Input {
		if !holds(in) {
			continue
		}
		if names == nil {
			names = map[string]bool{}
		}
		names[in.Name] = true
	}
	return names
}

// maxLevels limits the number of queues, for configs with a mistyped number. A request with a higher level has the default
// level.
const maxLevels = 1 << 16

func levels(dynamic *modelconfig.ModelDynamicBatching, standard sched.Policy) []sched.Policy {
	list := make([]sched.Policy, min(dynamic.PriorityLevels, maxLevels))
	for i := range list {
		list[i] = standard
		if own := dynamic.PriorityQueuePolicy[uint64(i+1)]; own != nil {
			list[i] = policyOf(own)
		}
	}
	return list
}

func policyOf(p *modelconfig.ModelQueuePolicy) sched.Policy {
	policy := sched.Policy{
		MaxSize: int(p.GetMaxQueueSize()), Timeout: microseconds(p.GetDefaultTimeoutMicroseconds()), Override: p.GetAllowTimeoutOverride(),
	}
	if p.GetTimeoutAction() == modelconfig.ModelQueuePolicy_DELAY {
		policy.Late = sched.Delay
	}
	return policy
}

// microseconds returns a duration; a number that is too large does not make it negative.
func microseconds(n uint64) time.Duration {
	const most = uint64(1<<63-1) / uint64(time.Microsecond)
	return time.Duration(min(n, most)) * time.Microsecond
}

// defaultIdle is max_sequence_idle_microseconds where the config gives none.
const defaultIdle = time.Second

// sequencingOf returns the rules of a config's sequence_batching (docs/triton/sequences.md, "Slots").
// The default strategy is direct.
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
		if oldest.MaxCandidateSequences > 0 { // 0 means the batch size (seen on Triton 24.10)
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

// maxSlots limits the memory of a config with a mistyped number.
const maxSlots = 1 << 16

func slots(n int32) int { return int(min(max(n, 1), maxSlots)) }

// stateFault returns an error of a config's states that appears only when a sequence begins: the
// model loads but answers no request (docs/triton/sequences.md, "States"). In Triton states can
// grow only on GPUs; in Conch they grow in any memory, so that is not an error.
func stateFault(cfg *modelconfig.ModelConfig) error {
	for _, s := range cfg.GetSequenceBatching().GetState() {
		if s.UseGrowableMemory && !s.UseSameBufferForInputOutput {
			return infer.Errorf(infer.Internal, "Failed to initialize sequence state: %s (The field is called use_same_buffer_for_input_output.)",
				rule.ST10.Sentence(s.InputName))
		}
	}
	return nil
}
