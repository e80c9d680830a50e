// Package logging is Triton's logging extension (docs/triton/tracing.md, "Log settings"): its
// settings can change while the server runs.
package logging

import (
	"context"
	"io"
	"log/slog"
	"os"
	"sync/atomic"

	"conch/engine/infer"
)

// Format is the form of a line's beginning.
type Format string

// Triton's formats.
const (
	Default Format = "default"
	ISO8601 Format = "ISO8601"
)

// Setting sets what is logged.
type Setting struct {
	File    string // "" for standard error
	Info    bool
	Warning bool
	Error   bool
	Verbose uint32
	Format  Format
}

// Change is the change of a request; nil leaves a value unchanged.
type Change struct {
	Info, Warning, Error *bool
	Verbose              *uint32
	Format               *string
}

// FormatError reports an unknown format in a request.
type FormatError struct{ Format string }

// Error returns a message for people; each transport has its own sentence (docs/triton/tracing.md,
// "Log settings").
func (e FormatError) Error() string { return "unknown log format " + e.Format }

// ErrFile is the error for a request that sets another file.
var ErrFile error = infer.Errorf(infer.Unsupported, "log file location can not be updated through network protocol")

// Log is a server's log with its current settings.
type Log struct {
	setting atomic.Pointer[Setting]
	inner   slog.Handler // for programs; nil writes lines for people
	lines   *lines
}

// New returns a log that writes lines for people.
func New(to io.Writer, s Setting) *Log {
	l := &Log{lines: &lines{to: to, pid: os.Getpid()}}
	l.setting.Store(&s)
	return l
}

// Over returns a log that writes through a handler with its own format.
func Over(inner slog.Handler, s Setting) *Log {
	l := &Log{inner: inner}
	l.setting.Store(&s)
	return l
}

// Get returns the current settings.
func (l *Log) Get() Setting { return *l.setting.Load() }

// Update changes the settings and returns the new ones. The only error is a FormatError.
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
		s.Verbose = uint32(max(0, int32(*c.Verbose))) // a level beyond 31 bits is negative in Triton, and shown as 0
	}
	return nil
}

// Handler returns the log as a slog.Handler.
func (l *Log) Handler() slog.Handler {
	if l.inner != nil {
		return &gate{log: l, inner: l.inner}
	}
	return &gate{log: l, inner: &lineHandler{log: l}}
}

// gate passes on the records that the settings allow.
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
