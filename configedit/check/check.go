package check

import (
	"cmp"
	"fmt"
	"slices"

	"conch/configedit/diag"
	"conch/configedit/modelconfig"
	"conch/configedit/rule"
)

// Check reports what Triton would refuse about a model, and what is surely a mistake, sorted by place. First marks
// the finding that Triton would report. If Triton stops at the text, no finding is marked.
func Check(m *Model, env Env) []diag.Diagnostic {
	list := checkOnce(m, env)
	if m.Decoded == nil || m.Decoded.Template == nil {
		return list
	}
	return certain(m, env, list)
}

// checkOnce checks one text. If the repository remembers results, its ensembles are checked one after the other, so that
// each of their models is checked only once.
func checkOnce(m *Model, env Env) []diag.Diagnostic {
	known, ok := env.(Remembers)
	if !ok || m.Effective.GetEnsembleScheduling() == nil {
		return newChecker(m, env, newShared()).run()
	}
	j := known.Judgements()
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.shared == nil {
		j.shared = newShared()
	}
	return newChecker(m, env, j.shared).run()
}

// checker is one check of one model.
type checker struct {
	m      *Model
	cfg    *modelconfig.ModelConfig
	env    Env
	shared *shared
	slips  *slips
	// rejected means that backend and platform do not fit, so the right model file is unknown.
	rejected bool
	found    []kept
	errors   int // among found
	cut      bool
	said     map[*rule.Rule]int
	// fields are the names at the top level of the text, collected on demand.
	fields map[any]bool
	// inferred are sentences about declared ensemble tensors that miss a type or dims (see lookInferred).
	inferred map[string]inference
}

func newChecker(m *Model, env Env, s *shared) *checker {
	cfg := m.Effective
	if cfg == nil {
		cfg = &modelconfig.ModelConfig{Name: m.Name}
	}
	return &checker{m: m, cfg: cfg, env: env, shared: s, slips: slipsOf(m), inferred: map[string]inference{}, said: map[*rule.Rule]int{}}
}

func (c *checker) run() []diag.Diagnostic {
	c.judge()
	c.markFirst()
	return c.sorted()
}

// sorted returns the findings, by place.
func (c *checker) sorted() []diag.Diagnostic {
	var list []diag.Diagnostic
	for i := range c.found {
		list = append(list, c.found[i].Diagnostic)
	}
	diag.Sort(list)
	c.tellMore(list)
	return list
}

// tellMore says at the last finding of a rule how many more there are, and at the last error that more were not looked for.
func (c *checker) tellMore(list []diag.Diagnostic) {
	said := map[string]int{}
	for r, n := range c.said {
		said[r.ID] = n - maxFindings
	}
	for i := range slices.Backward(list) {
		d := &list[i]
		if more := said[d.Code]; more > 0 {
			d.Unlisted = more
			d.Message += say("; %d more of %s in this file are not listed", more, d.Code)
			said[d.Code] = 0
		}
		if c.cut && d.Severity.IsError() {
			d.Message += say("; after %d errors no others were looked for", c.errors)
			c.cut = false
		}
	}
}

// subjects are the parts of a check. Within a stage, Triton looks at them in this order.
func subjects() []func(*checker) {
	return []func(*checker){
		checkClashes,
		checkBackend,
		checkBatchSize,
		checkDynamicBatching,
		checkSequenceBatching,
		checkEnsemble,
		checkCache,
		checkMetrics,
		checkName,
		checkVersions,
		checkNoConfig,
		checkInstanceGroups,
		checkCompletion,
		checkTensors,
		checkBatchTensors,
		checkLabels,
		checkRuntime,
		checkOptional,
		checkParameters,
		checkAccelerators,
		checkONNX,
		checkSavedModel,
		checkOpenVINO,
		checkTorch,
		checkPlan,
		checkModelFile,
		checkPythonFile,
		checkWarmup,
		checkCounts,
		checkRelease,
		checkIgnored,
	}
}

// judge runs all parts of the check.
func (c *checker) judge() {
	for _, check := range subjects() {
		check(c)
	}
}

// maxFindings bounds the errors of one model, and how often each message is reported. A config with more mistakes was
// written by a program.
const maxFindings = 100

// full reports whether enough errors have been found, so that no more are looked for. Warnings do not count, because they must not change
// the verdict.
func (c *checker) full() bool {
	c.cut = c.cut || c.errors >= maxFindings
	return c.cut
}

// report adds a finding to the list. Nothing else adds to the list, so every finding is counted.
func (c *checker) report(f finding) {
	if r := c.m.Release; r != nil && !r.Has(f.rule.ID) || c.rests(f.span) {
		return
	}
	c.said[f.rule]++
	if c.said[f.rule] > maxFindings {
		return
	}
	k := f.kept()
	k.Diagnostic = k.Shortened()
	if k.stage == rule.IO && c.strict() {
		k.stage = rule.Poll
	}
	if k.Severity.IsError() {
		c.errors++
	}
	c.found = append(c.found, k)
}

// strict reports whether the server completes no configs. Such a server checks inputs and outputs before it loads a model.
func (c *checker) strict() bool {
	return !c.m.Facts.AutoComplete && c.m.Folder != nil && !c.m.Completed
}

// markFirst marks the finding at which Triton stops, unless some servers stop at an earlier one.
func (c *checker) markFirst() {
	if diag.HasErrors(c.m.Syntax) {
		return
	}
	f := c.first()
	if f == nil || slices.ContainsFunc(c.found, func(k kept) bool { return k.perhaps && k.stage < f.stage }) {
		return
	}
	f.First = true
}

// first returns the error of the earliest stage, or nil if there is none.
func (c *checker) first() *kept {
	if found := c.errorsInOrder(); len(found) > 0 {
		return found[0]
	}
	return nil
}

// errorsInOrder returns the errors for which Triton has a sentence, in the order in which Triton reaches them.
func (c *checker) errorsInOrder() []*kept {
	slices.SortStableFunc(c.found, func(a, b kept) int { return cmp.Compare(a.stage, b.stage) })
	var list []*kept
	for i := range c.found {
		if f := &c.found[i]; f.Severity.IsError() && f.Triton != "" {
			list = append(list, f)
		}
	}
	return list
}

func say(format string, args ...any) string { return fmt.Sprintf(format, args...) }
