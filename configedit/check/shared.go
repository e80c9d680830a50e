package check

import (
	"sync"

	"conch/configedit/diag"
	"conch/configedit/rule"
)

// shared is what the checks of an ensemble and of the models in it know together, so that no model is judged twice.
type shared struct {
	failures map[string]*failure
	// polls are the ensembles' failures that no other model has to do with.
	polls map[string]*failure
	// decoupled are ensembles that were looked at for it.
	decoupled map[string]bool
	// ways are the ways from ensembles into circles; nil until one is asked about.
	ways *ways
}

// Judgements are what is known of the models of one unchanging repository. The zero value knows nothing.
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

// failure judges a model, nil when nothing is wrong with it. A model that is being judged counts as right: that
// ensembles contain each other is found separately.
func (s *shared) failure(m *Model, env Env) *failure {
	if known, ok := s.failures[m.Name]; ok {
		return known
	}
	s.failures[m.Name] = nil
	s.failures[m.Name] = s.judge(m, env)
	return s.failures[m.Name]
}

// unlisted is why Triton refuses a model's own config, so that it does not list the model; nil where it lists it.
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
