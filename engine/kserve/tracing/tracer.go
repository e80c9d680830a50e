package tracing

import (
	"log/slog"
	"sync"
	"sync/atomic"

	"conch/engine/infer"
)

// Tracer picks the requests that are traced. Close writes the last traces.
type Tracer struct {
	defaults Setting // the flags'
	log      *slog.Logger
	on       atomic.Bool // whether anything is traced: a request checks this first
	ids      atomic.Uint64

	mu     sync.Mutex // guards what follows
	global *sampler
	models map[string]*sampler
	files  map[string]*file
	closed bool
}

// New returns a Tracer with the settings of the flags.
func New(s Setting, log *slog.Logger) *Tracer {
	t := &Tracer{defaults: s, log: log, models: map[string]*sampler{}, files: map[string]*file{}}
	t.global = t.newSampler(s, nil)
	t.on.Store(s.invalid() == "")
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
// settings.
func (t *Tracer) Update(model string, c *Change) (Setting, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.update(model, c); err != nil {
		return Setting{}, err
	}
	if model == "" {
		for name, s := range t.models {
			if len(s.own) < len(settable) { // the rest follows the global settings
				if err := t.update(name, &Change{}); err != nil {
					return Setting{}, err
				}
			}
		}
	}
	on := t.global.setting.invalid() == ""
	for _, s := range t.models {
		on = on || s.setting.invalid() == ""
	}
	t.on.Store(on)
	return t.samplerOf(model).now(), nil
}

// settable are the keys that a request can set.
var settable = []string{"trace_level", "trace_rate", "trace_count", "log_frequency"}

// update replaces a sampler. Traces under way end under the sampler that picked them. t.mu is held.
func (t *Tracer) update(model string, c *Change) error {
	current, above := t.global, t.defaults
	if model != "" {
		current, above = t.models[model], t.global.now()
	}
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
		return infer.Errorf(infer.InvalidArg, "Attempting to set invalid trace setting :%s", why)
	}
	if current != nil {
		current.flush()
	}
	switch {
	case model == "":
		t.global = t.newSampler(next, own)
	case len(own) == 0:
		delete(t.models, model)
	default:
		t.models[model] = t.newSampler(next, own)
	}
	return nil
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

// Sample decides whether a request of a model is traced; it returns nil if not. A nil Tracer traces
// none.
func (t *Tracer) Sample(model string) *Sampled {
	if t == nil || !t.on.Load() {
		return nil
	}
	t.mu.Lock()
	s := t.samplerOf(model)
	closed := t.closed
	t.mu.Unlock()
	if closed || !s.pick() {
		return nil
	}
	return &Sampled{sampler: s, Trace: &infer.Trace{Tensors: s.setting.Level&Tensors != 0}}
}

// Close writes the traces that are not written yet.
func (t *Tracer) Close() {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	t.on.Store(false)
	t.global.flush()
	for _, s := range t.models {
		s.flush()
	}
	for _, f := range t.files {
		f.close()
	}
}
