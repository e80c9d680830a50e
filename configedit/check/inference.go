package check

import (
	"conch/configedit/backends"
	"conch/configedit/diag"
	"conch/configedit/modelconfig"
	"conch/configedit/rule"
)

// inference is what an ensemble's steps say about a declared tensor that has no type or dims of its own.
// Triton refuses it among the tensors of the ensemble, before it checks inputs and outputs as such.
type inference struct {
	rule     *rule.Rule
	sentence string
	// from is the model that the type or dims come from.
	from  string
	fixes []diag.Fix
}

// inferredSentence reports a missing type or dims of an ensemble's tensor.
func (c tensorCheck) inferredSentence(f finding, known inference) {
	f.rule, f.sentence, f.fixes, f.models = known.rule, known.sentence, known.fixes, []string{known.from}
	f.message += say("; it comes from model %q", known.from)
	c.report(f)
}

func (c *checker) isEnsemble() bool {
	return backends.IsEnsemble(c.cfg)
}

// effectiveShape returns a shape as requests have it, with the batch dimension.
func effectiveShape(cfg *modelconfig.ModelConfig, dims []int64) []int64 {
	if cfg.GetMaxBatchSize() > 0 {
		return append([]int64{-1}, dims...)
	}
	return dims
}
