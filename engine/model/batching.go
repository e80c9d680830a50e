package model

import (
	"time"

	"conch/configedit/modelconfig"
	"conch/engine/sched"
)

// batchingOf reads the rules of a config's dynamic_batching (docs/triton/schedulers.md, "Dynamic
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

// inputsWith are the names of the inputs of which something holds; nil for none.
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

// maxLevels bounds the queues that a mistyped number makes; a request beyond it has the default level.
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

// microseconds is a duration that no number can make negative.
func microseconds(n uint64) time.Duration {
	const most = uint64(1<<63-1) / uint64(time.Microsecond)
	return time.Duration(min(n, most)) * time.Microsecond
}
