package derive

import "conch/configedit/modelconfig"

// Normalize sets these defaults in a config that a backend has completed, and returns what it set.
func Normalize(cfg *modelconfig.ModelConfig) []Filled {
	filled, _ := run(cfg, &Facts{}, func(e *completion) error {
		e.normalize()
		return nil
	})
	return filled
}

// normalize sets the defaults that Triton sets when it has read a config and again after a backend
// has completed it (docs/triton/completion.md, "Defaults"): the version policy, preferred batch
// sizes, sequence idle time and pinned memory.
func (e *completion) normalize() {
	e.normalizeVersionPolicy()
	e.normalizeDynamicBatching()
	e.normalizeSequenceBatching()
	if e.cfg.GetEnsembleScheduling() == nil {
		e.normalizePinnedMemory()
	}
}

func (e *completion) normalizeVersionPolicy() {
	if e.cfg.VersionPolicy != nil {
		return
	}
	e.cfg.VersionPolicy = &modelconfig.ModelVersionPolicy{
		PolicyChoice: &modelconfig.ModelVersionPolicy_Latest_{
			Latest: &modelconfig.ModelVersionPolicy_Latest{NumVersions: 1},
		},
	}
	e.note("the newest version is served unless a policy says otherwise", "version_policy")
}

func (e *completion) normalizeDynamicBatching() {
	batching := e.cfg.GetDynamicBatching()
	if batching == nil || len(batching.PreferredBatchSize) > 0 || e.cfg.MaxBatchSize <= 0 {
		return
	}
	batching.PreferredBatchSize = []int32{e.cfg.MaxBatchSize}
	e.note("the largest batch is preferred unless sizes are given", "dynamic_batching", "preferred_batch_size")
}

// defaultSequenceIdle is one second in microseconds (docs/triton/completion.md, "Defaults").
const defaultSequenceIdle = 1_000_000

func (e *completion) normalizeSequenceBatching() {
	batching := e.cfg.GetSequenceBatching()
	if batching == nil {
		return
	}
	if batching.MaxSequenceIdleMicroseconds == 0 {
		batching.MaxSequenceIdleMicroseconds = defaultSequenceIdle
		e.note("an idle sequence loses its slot after a second unless a time is given",
			"sequence_batching", "max_sequence_idle_microseconds")
	}
	oldest := batching.GetOldest()
	if oldest != nil && len(oldest.PreferredBatchSize) == 0 && e.cfg.MaxBatchSize > 0 {
		oldest.PreferredBatchSize = []int32{e.cfg.MaxBatchSize}
		e.note("the largest batch is preferred unless sizes are given",
			"sequence_batching", "oldest", "preferred_batch_size")
	}
}

func (e *completion) normalizePinnedMemory() {
	if e.cfg.Optimization == nil {
		e.cfg.Optimization = &modelconfig.ModelOptimizationPolicy{}
	}
	const reason = "pinned memory is used unless it is switched off"
	optimization := e.cfg.Optimization
	if optimization.InputPinnedMemory == nil {
		optimization.InputPinnedMemory = &modelconfig.ModelOptimizationPolicy_PinnedMemoryBuffer{Enable: true}
		e.note(reason, "optimization", "input_pinned_memory")
	}
	if optimization.OutputPinnedMemory == nil {
		optimization.OutputPinnedMemory = &modelconfig.ModelOptimizationPolicy_PinnedMemoryBuffer{Enable: true}
		e.note(reason, "optimization", "output_pinned_memory")
	}
}
