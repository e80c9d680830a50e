package tracing

import (
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"conch/engine/infer"
	"conch/engine/kserve/tracing/spans"
)

// keptModels is how many models may have settings before those of unloaded models are forgotten.
const keptModels = 1000

// Tracer picks the requests that are traced. Close completes the files.
type Tracer struct {
	defaults Setting // the flags'
	file     *file
	loaded   func(model string) bool
	on       atomic.Bool // whether anything is traced: a request checks this first
	ids      atomic.Uint64

	mu     sync.Mutex // guards what follows
	global *sampler
	models map[string]*sampler
	closed bool
}

// New returns a Tracer with the settings of the flags. loaded reports whether a model serves. A model that is
// unloaded keeps its settings, as in Triton, unless very many models have settings.
func New(s Setting, log *slog.Logger, loaded func(model string) bool) *Tracer {
	t := &Tracer{defaults: s, loaded: loaded, models: map[string]*sampler{}, file: &file{path: s.File, log: log}}
	t.file.tidy()
	t.global = t.newSampler(s, nil)
	t.on.Store(t.global.picks())
	return t
}

// Get returns the current settings of a model, or the global settings for "".
func (t *Tracer) Get(model string) Setting {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.samplerOf(model).now()
}

func (t *Tracer) samplerOf(model string) *sampler {
	if s := t.models[model]; s != nil {
		return s
	}
	return t.global
}

// Update changes the settings of a model, or the global settings for "", and returns the new
// settings. It changes nothing when it fails.
func (t *Tracer) Update(model string, c *Change) (Setting, error) {
	setting, replaced, err := t.update(model, c)
	for _, s := range replaced {
		s.end() // may wait for the disk
	}
	return setting, err
}

func (t *Tracer) update(model string, c *Change) (_ Setting, replaced []*sampler, _ error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	next, err := t.next(model, c)
	if err != nil {
		return Setting{}, nil, err
	}
	for name, s := range next {
		if old := t.put(name, s); old != nil {
			replaced = append(replaced, old)
		}
	}
	replaced = append(replaced, t.forget(model)...)
	on := t.global.picks()
	for _, s := range t.models {
		on = on || s.picks()
	}
	t.on.Store(on && !t.closed)
	return t.samplerOf(model).now(), replaced, nil
}

// settable are the keys that a request can set.
var settable = []string{"trace_level", "trace_rate", "trace_count", "log_frequency"}

// next returns the samplers after a change, by model: the changed one, and those of models that follow the
// global settings in part. t.mu is held.
func (t *Tracer) next(model string, c *Change) (map[string]*sampler, error) {
	current, above := t.global, t.defaults
	if model != "" {
		current, above = t.models[model], t.global.now()
	}
	changed, err := t.changed(current, above, c)
	if err != nil {
		return nil, err
	}
	follows := model != "" && len(changed.own) == 0 // the global settings, also where their count is used up
	if s := changed.setting; s.Level != 0 && s.Count == 0 && !follows {
		return nil, refusal("") // Triton has no words for it
	}
	next := map[string]*sampler{model: changed}
	if model != "" {
		return next, nil
	}
	for name, s := range t.models {
		if len(s.own) == len(settable) {
			continue
		}
		if next[name], err = t.changed(s, changed.setting, &Change{}); err != nil {
			return nil, err
		}
	}
	return next, nil
}

// changed returns the sampler that replaces current, which may be nil. above has the values that the model
// does not have of its own. t.mu is held.
func (t *Tracer) changed(current *sampler, above Setting, c *Change) (*sampler, error) {
	next, own := above, map[string]bool{}
	if current != nil {
		now := current.now()
		for key := range current.own {
			if !c.Clear[key] {
				own[key] = true
				next.copy(key, &now)
			}
		}
	}
	c.apply(&next, own)
	if why := next.invalid(); why != "" && next.Level != 0 {
		return nil, refusal(why)
	}
	return t.newSampler(next, own), nil
}

func refusal(why string) error {
	return infer.Errorf(infer.InvalidArg, "Attempting to set invalid trace setting :%s", why)
}

// put puts a sampler into service and returns the one that it replaces. Traces under way end under the
// sampler that picked them. t.mu is held.
func (t *Tracer) put(model string, s *sampler) (old *sampler) {
	if model == "" {
		old, t.global = t.global, s
		return old
	}
	old = t.models[model]
	if len(s.own) == 0 {
		delete(t.models, model)
	} else {
		t.models[model] = s
	}
	return old
}

// forget removes the settings of unloaded models, except one, when too many models have settings. t.mu is
// held.
func (t *Tracer) forget(except string) (forgotten []*sampler) {
	if len(t.models) <= keptModels {
		return nil
	}
	for name, s := range t.models {
		if name != except && !t.loaded(name) {
			delete(t.models, name)
			forgotten = append(forgotten, s)
		}
	}
	return forgotten
}

func (s *Setting) copy(key string, from *Setting) {
	switch key {
	case "trace_level":
		s.Level = from.Level
	case "trace_rate":
		s.Rate = from.Rate
	case "trace_count":
		s.Count = from.Count
	case "log_frequency":
		s.LogFrequency = from.LogFrequency
	}
}

func (c *Change) apply(s *Setting, own map[string]bool) {
	if c.Level != nil {
		s.Level, own["trace_level"] = *c.Level, true
	}
	if c.Rate != nil {
		s.Rate, own["trace_rate"] = *c.Rate, true
	}
	if c.Count != nil {
		s.Count, own["trace_count"] = *c.Count, true
	}
	if c.LogFrequency != nil {
		s.LogFrequency, own["log_frequency"] = *c.LogFrequency, true
	}
}

// Headers are the headers of a request.
type Headers = spans.Headers

// Sample decides whether a request of a model is traced; it returns nil if not. The place in a trace of its client is among
// the headers; they may be nil. A nil Tracer traces none.
func (t *Tracer) Sample(model string, headers Headers) *Sampled {
	if t == nil || !t.on.Load() {
		return nil
	}
	t.mu.Lock()
	s := t.samplerOf(model)
	closed := t.closed
	t.mu.Unlock()
	parent := s.setting.Sender.Parent(headers)
	if closed || !s.pick(parent) {
		return nil
	}
	if s.setting.Sender != nil {
		return &Sampled{sampler: s, parent: parent, Trace: &infer.Trace{Span: parent.Span()}}
	}
	return &Sampled{sampler: s, Trace: &infer.Trace{Tensors: s.setting.Level&Tensors != 0}}
}

// Close completes the files. Traces that come later are lost.
func (t *Tracer) Close() {
	if t == nil {
		return
	}
	t.mu.Lock()
	t.closed = true
	t.on.Store(false)
	samplers := append(slices.Collect(maps.Values(t.models)), t.global)
	t.mu.Unlock()
	for _, s := range samplers {
		s.close()
	}
	t.file.close()
	t.defaults.Sender.Close()
}
