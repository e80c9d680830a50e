package check

import (
	"sync"

	"conch/configedit/diag"
	"conch/configedit/rule"
)

// shared is what the checks of an ensemble and of its models share, so that no model is checked twice.
type shared struct {
	failures map[string]*failure
	// polls are the failures of ensembles that do not depend on other models.
	polls map[string]*failure
	// decoupled caches which ensembles are decoupled.
	decoupled map[string]bool
	// ways are the ways from ensembles into circles; nil until one is asked about.
	ways *ways
}

// Judgements caches what is known about the models of one unchanging repository. The zero value is empty.
type Judgements struct {
	mu     sync.Mutex
	shared *shared
}

func newShared() *shared {
	return &shared{failures: map[string]*failure{}, polls: map[string]*failure{}, decoupled: map[string]bool{}}
}

// failure is why a model does not load.
type failure struct {
	stage             rule.Stage
	span              diag.Span
	message, sentence string
	status            rule.Status
}

// failure returns why a model does not load, or nil. A model that is still being checked counts as right: circles of
// ensembles are found separately.
func (s *shared) failure(m *Model, env Env) *failure {
	if known, ok := s.failures[m.Name]; ok {
		return known
	}
	s.failures[m.Name] = nil
	s.failures[m.Name] = s.judge(m, env)
	return s.failures[m.Name]
}

// unlisted returns why Triton refuses a model's own config and does not list the model, or nil if it lists it.
func (s *shared) unlisted(m *Model) *failure {
	known, ok := s.polls[m.Name]
	if !ok {
		if known = s.judge(m, nil); known != nil && !known.stage.BeforeLoad() {
			known = nil
		}
		s.polls[m.Name] = known
	}
	return known
}

func (s *shared) judge(m *Model, env Env) *failure {
	for _, d := range m.Syntax {
		if d.Severity.IsError() {
			return &failure{stage: rule.Fill, span: d.Span, message: d.Message, sentence: d.Triton}
		}
	}
	c := newChecker(m, env, s)
	c.judge()
	f := c.first()
	if f == nil {
		return nil
	}
	return &failure{stage: f.stage, span: f.Span, message: f.Message, sentence: f.Triton, status: f.status}
}
