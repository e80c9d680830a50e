package check

import (
	"cmp"
	"fmt"
	"slices"

	"conch/configedit/diag"
	"conch/configedit/modelconfig"
	"conch/configedit/rule"
)

// Check tells what Triton would refuse about a model, and what is surely a mistake, sorted by place. First marks
// the one that Triton would report; none is marked where it already stops at the text.
func Check(m *Model, env Env) []diag.Diagnostic {
	list := checkOnce(m, env)
	if m.Decoded == nil || m.Decoded.Template == nil {
		return list
	}
	return certain(m, env, list)
}

// checkOnce is the check of one text. Ensembles of a repository that remembers are judged one after the other, so that each of their
// models is judged once in all.
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
	// rejected reports whether backend and platform do not fit, so that nobody knows which file is meant.
	rejected bool
	found    []kept
	errors   int // among found
	said     map[*rule.Rule]int
	// fields are the names at the top level of the text, by demand.
	fields map[any]bool
	// inferred are sentences about declared ensemble tensors that miss a type or dims (see lookInferred).
	inferred map[string]inference
}

func newChecker(m *Model, env Env, s *shared) *checker {
	cfg := m.Effective
	if cfg == nil {
		cfg = &modelconfig.ModelConfig{Name: m.Name}
	}
	return &checker{m: m, cfg: cfg, env: env, shared: s, inferred: map[string]inference{}, said: map[*rule.Rule]int{}}
}

func (c *checker) run() []diag.Diagnostic {
	c.judge()
	c.markFirst()
	return c.sorted()
}

// sorted is what was found, by place.
func (c *checker) sorted() []diag.Diagnostic {
	var list []diag.Diagnostic
	for i := range c.found {
		list = append(list, c.found[i].Diagnostic)
	}
	diag.Sort(list)
	return list
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

// judge runs all subjects.
func (c *checker) judge() {
	for _, check := range subjects() {
		check(c)
	}
}

// maxFindings bounds the errors of one model, and how often each thing is said; a config with more mistakes was made
// by a program.
const maxFindings = 100

// full reports whether enough errors have been found. Warnings do not count: however many there are, the verdict must stay
// right.
func (c *checker) full() bool { return c.errors >= maxFindings }

// report takes a broken rule into the list. It is the only way into it, so that all of it is counted.
func (c *checker) report(f finding) {
	if r := c.m.Release; r != nil && !r.Has(f.rule.ID) {
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

// strict reports whether the server completes no configs, and then looks at inputs and outputs before it loads.
func (c *checker) strict() bool {
	return !c.m.Facts.AutoComplete && c.m.Folder != nil && !c.m.Completed
}

// markFirst marks what Triton would stop at, unless it stops at something before that on some servers.
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

// first is the error of the earliest stage, nil when there is none.
func (c *checker) first() *kept {
	if found := c.errorsInOrder(); len(found) > 0 {
		return found[0]
	}
	return nil
}

// errorsInOrder are the errors for which Triton has a sentence, by the stage at which it comes to them.
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
