// Package logging is Triton's logging extension (docs/triton/tracing.md, "Log settings"): what is
// logged and how, changed while the server runs.
package logging

import (
	"context"
	"io"
	"log/slog"
	"os"
	"sync/atomic"

	"conch/engine/infer"
)

// Format is how a line begins.
type Format string

// Triton's formats.
const (
	Default Format = "default"
	ISO8601 Format = "ISO8601"
)

// Setting says what is logged.
type Setting struct {
	File    string // "" for standard error
	Info    bool
	Warning bool
	Error   bool
	Verbose uint32
	Format  Format
}

// Change is what a request sets; nil leaves a value as it is.
type Change struct {
	Info, Warning, Error *bool
	Verbose              *uint32
	Format               *string
}

// FormatError is the format of a request that there is none of.
type FormatError struct{ Format string }

// Error is for people; each transport has its own words (docs/triton/tracing.md, "Log settings").
func (e FormatError) Error() string { return "there is no log format " + e.Format }

// ErrFile is the answer to who wants another file.
var ErrFile error = infer.Errorf(infer.Unsupported, "log file location can not be updated through network protocol")

// Log is a server's log, with the settings in force.
type Log struct {
	setting atomic.Pointer[Setting]
	inner   slog.Handler // for programs; nil writes lines for people
	lines   *lines
}

// New makes a log that writes lines for people.
func New(to io.Writer, s Setting) *Log {
	l := &Log{lines: &lines{to: to, pid: os.Getpid()}}
	l.setting.Store(&s)
	return l
}

// Over makes a log of a handler that has its own form.
func Over(inner slog.Handler, s Setting) *Log {
	l := &Log{inner: inner}
	l.setting.Store(&s)
	return l
}

// Get gives the settings in force.
func (l *Log) Get() Setting { return *l.setting.Load() }

// Update changes them, and gives what is then in force. The only error is a FormatError.
func (l *Log) Update(c *Change) (Setting, error) {
	for {
		old := l.setting.Load()
		next := *old
		if err := c.apply(&next); err != nil {
			return *old, err
		}
		if l.setting.CompareAndSwap(old, &next) {
			return next, nil
		}
	}
}

func (c *Change) apply(s *Setting) error {
	if c.Format != nil {
		switch f := Format(*c.Format); f {
		case Default, ISO8601:
			s.Format = f
		default:
			return FormatError{*c.Format}
		}
	}
	for _, b := range []struct{ from, to *bool }{{c.Info, &s.Info}, {c.Warning, &s.Warning}, {c.Error, &s.Error}} {
		if b.from != nil {
			*b.to = *b.from
		}
	}
	if c.Verbose != nil {
		s.Verbose = *c.Verbose
	}
	return nil
}

// Handler is the log for slog.
func (l *Log) Handler() slog.Handler {
	if l.inner != nil {
		return &gate{log: l, inner: l.inner}
	}
	return &gate{log: l, inner: &lineHandler{log: l}}
}

// gate lets through what the settings say.
type gate struct {
	log   *Log
	inner slog.Handler
}

var _ slog.Handler = (*gate)(nil)

// Enabled implements slog.Handler.
func (g *gate) Enabled(_ context.Context, level slog.Level) bool {
	s := g.log.setting.Load()
	switch {
	case level >= slog.LevelError:
		return s.Error
	case level >= slog.LevelWarn:
		return s.Warning
	case level >= slog.LevelInfo:
		return s.Info
	}
	return s.Verbose > 0
}

// Handle implements slog.Handler.
func (g *gate) Handle(ctx context.Context, r slog.Record) error { return g.inner.Handle(ctx, r) }

// WithAttrs implements slog.Handler.
func (g *gate) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &gate{g.log, g.inner.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (g *gate) WithGroup(name string) slog.Handler { return &gate{g.log, g.inner.WithGroup(name)} }
