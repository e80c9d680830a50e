package check

import (
	"conch/configedit/backends"
	"conch/configedit/diag"
	"conch/configedit/modelconfig"
	"conch/configedit/rule"
)

// inference is what an ensemble's steps tell about a declared tensor that does not say its own type or dims.
// Triton refuses it among the tensors of the ensemble, before it looks at inputs and outputs as such.
type inference struct {
	rule     *rule.Rule
	sentence string
	// from is the model that told.
	from  string
	fixes []diag.Fix
}

// inferredSentence reports a missing type or dims of an ensemble's tensor.
func (c tensorCheck) inferredSentence(f finding, known inference) {
	f.rule, f.sentence, f.fixes, f.models = known.rule, known.sentence, known.fixes, []string{known.from}
	f.message += say("; model %q tells it", known.from)
	c.report(f)
}

func (c *checker) isEnsemble() bool {
	return backends.IsEnsemble(c.cfg)
}

// effectiveShape is a shape as requests have it, with the batch dimension.
func effectiveShape(cfg *modelconfig.ModelConfig, dims []int64) []int64 {
	if cfg.GetMaxBatchSize() > 0 {
		return append([]int64{-1}, dims...)
	}
	return dims
}
