package logging

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"sync"
)

// lines writes one line at a time.
type lines struct {
	pid int
	mu  sync.Mutex // guards to
	to  io.Writer
}

// lineHandler writes lines as Triton does: a letter, the time, the process, the message in quotes, and then the
// attributes. A message that begins with a line feed is a table, and is written without quotes.
type lineHandler struct {
	log   *Log
	extra []byte // attributes of every line
	group string
}

var _ slog.Handler = (*lineHandler)(nil)

// Enabled implements slog.Handler; gate has already decided.
func (h *lineHandler) Enabled(context.Context, slog.Level) bool { return true }

// Handle implements slog.Handler.
func (h *lineHandler) Handle(_ context.Context, r slog.Record) error {
	var b bytes.Buffer
	letter := "V"
	switch {
	case r.Level >= slog.LevelError:
		letter = "E"
	case r.Level >= slog.LevelWarn:
		letter = "W"
	case r.Level >= slog.LevelInfo:
		letter = "I"
	}
	if h.log.Get().Format == ISO8601 {
		fmt.Fprintf(&b, "%s %s %d conch] ", r.Time.UTC().Format("2006-01-02T15:04:05Z"), letter, h.log.lines.pid)
	} else {
		fmt.Fprintf(&b, "%s%s %d conch] ", letter, r.Time.Format("0102 15:04:05.000000"), h.log.lines.pid)
	}
	if strings.HasPrefix(r.Message, "\n") { // a table, as Triton writes them
		b.WriteString(r.Message)
	} else {
		b.WriteString(strconv.Quote(r.Message))
	}
	b.Write(h.extra)
	r.Attrs(func(a slog.Attr) bool {
		h.append(&b, a)
		return true
	})
	b.WriteByte('\n')
	h.log.lines.mu.Lock()
	defer h.log.lines.mu.Unlock()
	_, err := h.log.lines.to.Write(b.Bytes())
	return err
}

func (h *lineHandler) append(b *bytes.Buffer, a slog.Attr) {
	value := a.Value.Resolve().String()
	if value == "" {
		return
	}
	if quoted := strconv.Quote(value); quoted != `"`+value+`"` || bytes.ContainsAny([]byte(value), " =") {
		value = quoted
	}
	b.WriteString(" " + h.group + a.Key + "=" + value)
}

// WithAttrs implements slog.Handler.
func (h *lineHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	b := bytes.NewBuffer(bytes.Clone(h.extra))
	for _, a := range attrs {
		h.append(b, a)
	}
	return &lineHandler{log: h.log, extra: b.Bytes(), group: h.group}
}

// WithGroup implements slog.Handler.
func (h *lineHandler) WithGroup(name string) slog.Handler {
	return &lineHandler{log: h.log, extra: h.extra, group: h.group + name + "."}
}
