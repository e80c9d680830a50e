package spans

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// quiet is how long the log says nothing more of losses after a line: a collector that is away loses some messages a second.
const quiet = time.Minute

// losses tells the log of spans that do not reach the collector: of the first at once, of more after quiet, and of the rest
// at the end. The library says nothing of spans that do not fit into its queue.
type losses struct {
	log *slog.Logger
	url string
	// room is how many spans may wait: those of the queue and of the next message.
	room int64
	now  func() time.Time

	// ended is how many spans came. Requests count theirs, and do not wait for a line of the log, which is written under mu.
	ended atomic.Int64

	mu       sync.Mutex // guards what follows
	taken    int64      // those that left the queue
	sent     int64
	dropped  int64 // at least so many did not fit into the queue
	lost     int64 // were taken and not sent
	untold   int64
	why      string // of the newest loss, until spans are sent again
	lastLine time.Time
}

// processor counts the spans that come to a queue.
type processor struct {
	sdk.SpanProcessor
	losses *losses
}

// OnEnd implements sdk.SpanProcessor.
func (p processor) OnEnd(span sdk.ReadOnlySpan) {
	p.losses.ended.Add(1)
	p.SpanProcessor.OnEnd(span)
}

// exporter counts the spans that leave a queue. It tells of its errors itself.
type exporter struct {
	sdk.SpanExporter
	losses *losses
}

// ExportSpans implements sdk.SpanExporter.
func (e exporter) ExportSpans(ctx context.Context, list []sdk.ReadOnlySpan) error {
	e.losses.take(int64(len(list)))
	e.losses.export(int64(len(list)), e.SpanExporter.ExportSpans(ctx, list))
	return nil
}

// take counts spans that leave the queue, and notes those that did not fit into it.
func (l *losses) take(spans int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.taken += spans
	if over := l.ended.Load() - l.taken - l.dropped - l.room; over > 0 {
		l.dropped += over
		l.note(over, "they come faster than the collector takes them")
	}
}

// export counts spans that were sent, or notes why they were not.
func (l *losses) export(spans int64, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil {
		l.sent += spans
		l.why = ""
		return
	}
	l.lost += spans
	l.note(spans, err.Error())
}

// handle notes another error of the library.
func (l *losses) handle(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.note(0, err.Error())
}

func (l *losses) note(spans int64, why string) {
	l.untold, l.why = l.untold+spans, why
	now := l.now()
	if !l.lastLine.IsZero() && now.Sub(l.lastLine) < quiet {
		return
	}
	l.lastLine = now
	l.tell(why)
}

func (l *losses) tell(why string) {
	l.log.Warn("traces were not sent to the OpenTelemetry collector", "url", l.url, "spans", l.untold, "error", why)
	l.untold = 0
}

// close tells of all losses that the log does not have yet, also of those that still wait.
func (l *losses) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.untold += l.ended.Load() - l.sent - l.lost - l.dropped
	if l.untold > 0 {
		l.tell(cmp.Or(l.why, "the server has ended"))
	}
}
