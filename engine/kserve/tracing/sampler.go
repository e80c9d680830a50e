package tracing

import (
	"bytes"
	"sync"
	"time"

	"conch/engine/infer"
	"conch/engine/kserve/tracing/spans"
)

// sampler picks requests under one setting, and writes their traces.
type sampler struct {
	tracer  *Tracer
	setting Setting // Count is its first value
	own     map[string]bool

	mu     sync.Mutex // guards what follows
	left   int32      // of Count
	seen   uint32
	picked int

	out       sync.Mutex // guards what follows; held while a trace is written
	collected int
	part      *part // the numbered file that is being written; nil when there is none
	ended     bool  // another sampler has replaced it
}

func (t *Tracer) newSampler(s Setting, own map[string]bool) *sampler {
	return &sampler{tracer: t, setting: s, own: own, left: s.Count}
}

// now returns the setting with the rest of its count.
func (s *sampler) now() Setting {
	s.mu.Lock()
	defer s.mu.Unlock()
	setting := s.setting
	setting.Count = s.left
	return setting
}

// picks reports whether requests may be traced. With a collector that is so at rate 0 too: those of clients that trace.
func (s *sampler) picks() bool {
	return s.setting.invalid() == "" || s.setting.Sender != nil && s.setting.Level != 0
}

// pick decides whether a request is traced. With a collector every request is that belongs to a trace of its client.
func (s *sampler) pick(parent spans.Parent) bool {
	if !s.picks() {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen++
	if s.setting.Rate == 0 || s.seen%s.setting.Rate != 0 || s.left == 0 {
		return parent.Valid()
	}
	if s.left > 0 {
		s.left--
	}
	s.picked++
	return true
}

// collect writes a trace: to the file without a number when there is no count and no frequency, otherwise to a
// numbered file.
func (s *sampler) collect(text []byte) {
	if s.setting.LogFrequency == 0 && s.setting.Count < 0 {
		s.tracer.file.add(bytes.NewReader(text))
		return
	}
	s.out.Lock()
	defer s.out.Unlock()
	s.collected++
	if s.part == nil {
		s.part = s.tracer.file.begin()
	}
	if s.part == nil {
		return // the file is closed
	}
	s.part.add(text)
	counted, whole := s.rest()
	switch {
	case s.setting.LogFrequency > 0 && s.part.traces >= int(s.setting.LogFrequency) || counted && whole:
		s.part.finish()
		s.part = nil
	case s.ended && whole:
		s.last()
	}
}

// rest reports whether the count is used up, and whether all traces are collected. s.out is held.
func (s *sampler) rest() (counted, whole bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.left == 0, s.collected == s.picked
}

// last completes what a replaced sampler has written. As in Triton, traces of a count that was not reached go
// to the file without a number. s.out is held.
func (s *sampler) last() {
	switch {
	case s.part == nil:
	case s.setting.LogFrequency > 0:
		s.part.finish()
	default:
		s.part.join()
	}
	s.part = nil
}

// end completes the files when another sampler has replaced this one. Requests under way still write their
// traces, and the last one of them completes the files.
func (s *sampler) end() {
	s.out.Lock()
	defer s.out.Unlock()
	s.ended = true
	if _, whole := s.rest(); whole {
		s.last()
	}
}

// close completes the files at the end of the server.
func (s *sampler) close() {
	s.out.Lock()
	defer s.out.Unlock()
	s.last()
}

// Sampled is a traced request. All methods may be called on nil.
type Sampled struct {
	Trace   *infer.Trace // for the Request
	sampler *sampler
	parent  spans.Parent
	marks   []spans.Mark
}

// keptMarks bounds the marks of a request whose model may answer any number of times.
const keptMarks = 20_000

// Mark records that the transport does something now, such as HTTP_SEND_START.
func (s *Sampled) Mark(name string) {
	if s != nil {
		s.MarkAt(name, time.Now())
	}
}

// MarkAt records that the transport did something at a time.
func (s *Sampled) MarkAt(name string, at time.Time) {
	if s != nil && len(s.marks) < keptMarks {
		s.marks = append(s.marks, spans.Mark{Name: name, At: at})
	}
}

// Use replaces the trace that is written by another trace of the same request; nil changes nothing.
func (s *Sampled) Use(t *infer.Trace) {
	if s == nil || t == nil {
		return
	}
	t.Tensors, t.Span = t.Tensors || s.Trace.Tensors, s.Trace.Span
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
	s.Trace.End(nil)
	if s.Trace.Queued.IsZero() { // refused before it reached a queue: no trace, as in Triton
		return
	}
	if to := s.sampler.setting.Sender; to != nil {
		to.Send(s.parent, s.Trace, s.marks)
		return
	}
	s.sampler.collect(s.text())
}
