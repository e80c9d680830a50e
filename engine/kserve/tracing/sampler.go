package tracing

import (
	"sync"
	"time"

	"conch/engine/infer"
)

// sampler picks requests under one setting, and collects their traces.
type sampler struct {
	tracer  *Tracer
	setting Setting // Count is its first value
	own     map[string]bool
	file    *file

	mu        sync.Mutex // guards what follows
	left      int32      // of Count
	seen      uint32
	picked    int
	collected int
	waiting   [][]byte // traces for the next numbered file
	flushed   bool     // another sampler has replaced it
}

// newSampler returns a sampler. t.mu is held, or t is not in use yet.
func (t *Tracer) newSampler(s Setting, own map[string]bool) *sampler {
	f := t.files[s.File]
	if f == nil {
		f = &file{path: s.File, log: t.log}
		t.files[s.File] = f
	}
	return &sampler{tracer: t, setting: s, own: own, file: f, left: s.Count}
}

// now returns the setting with the rest of its count.
func (s *sampler) now() Setting {
	s.mu.Lock()
	defer s.mu.Unlock()
	setting := s.setting
	setting.Count = s.left
	return setting
}

func (s *sampler) pick() bool {
	if s.setting.invalid() != "" {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen++
	if s.seen%s.setting.Rate != 0 || s.left == 0 {
		return false
	}
	if s.left > 0 {
		s.left--
	}
	s.picked++
	return true
}

// collect stores a trace's text. Without a count and a frequency, the text is written at once; otherwise it is
// written when there are enough texts for a file.
func (s *sampler) collect(text []byte) {
	s.mu.Lock()
	s.collected++
	single := s.setting.LogFrequency == 0 && s.setting.Count < 0
	if !single {
		s.waiting = append(s.waiting, text)
	}
	full := s.left == 0 && s.collected == s.picked || s.setting.LogFrequency > 0 && len(s.waiting) >= int(s.setting.LogFrequency) || s.flushed
	var batch [][]byte
	if full {
		batch, s.waiting = s.waiting, nil
	}
	s.mu.Unlock()
	switch {
	case single:
		s.file.add(text)
	case len(batch) > 0:
		s.file.number(batch)
	}
}

// flush writes the waiting traces. Later traces are written at once.
func (s *sampler) flush() {
	s.mu.Lock()
	batch := s.waiting
	s.waiting, s.flushed = nil, true
	s.mu.Unlock()
	switch {
	case len(batch) == 0:
	case s.setting.LogFrequency > 0:
		s.file.number(batch)
	default:
		for _, text := range batch {
			s.file.add(text)
		}
	}
}

// Sampled is a traced request. All methods may be called on nil.
type Sampled struct {
	Trace   *infer.Trace // for the Request
	sampler *sampler
	marks   []mark
}

// mark is a named moment in the transport.
type mark struct {
	name string
	at   time.Time
}

// Mark records that the transport does something now, such as HTTP_SEND_START.
func (s *Sampled) Mark(name string) {
	if s != nil {
		s.MarkAt(name, time.Now())
	}
}

// MarkAt records that the transport did something at a time.
func (s *Sampled) MarkAt(name string, at time.Time) {
	if s != nil {
		s.marks = append(s.marks, mark{name, at})
	}
}

// Use replaces the trace that is written by another trace of the same request; nil changes nothing.
func (s *Sampled) Use(t *infer.Trace) {
	if s == nil || t == nil {
		return
	}
	t.Tensors = t.Tensors || s.Trace.Tensors
	s.Trace = t
}

// RequestTrace returns the trace for a Request; nil when it is not traced.
func (s *Sampled) RequestTrace() *infer.Trace {
	if s == nil {
		return nil
	}
	return s.Trace
}

// Done ends the trace and writes it.
func (s *Sampled) Done() {
	if s == nil {
		return
	}
	s.Trace.End(nil) // when the engine never got the request
	s.sampler.collect(s.text())
}
