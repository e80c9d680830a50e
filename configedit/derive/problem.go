package derive

import (
	"conch/configedit/modelfile"
	"conch/configedit/rule"
)

// Problem is a reason for which Triton would refuse a config.
type Problem struct {
	Rule *rule.Rule
	// Code is the error code that Triton prints before the sentence.
	Code rule.Status
	// Path is the place in the config, in the form modelconfig.Decoded.Span
	// takes; what is missing from the config has the place it would belong to.
	Path []any
	// Triton is the sentence Triton prints.
	Triton string
	// Tensor is the tensor of the model file that the problem is about, if any.
	Tensor *modelfile.Tensor
	// Late means that Triton loads the model anyway, and requests then fail or go wrong.
	Late bool
	// Allowed are the names that would be right in place of a wrong one.
	Allowed []string
}

// Error is Triton's sentence.
func (p *Problem) Error() string { return p.Triton }

// Filled says what was filled in and why, for people.
type Filled struct {
	// Path is the place in the effective config, in the form that
	// modelconfig.Decoded.Span takes.
	Path   []any
	Reason string
}

// at makes a path.
func at(path ...any) []any { return path }
