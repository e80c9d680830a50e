package spans

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// A collector that is away, or slow, has a line for the first loss, then one a minute, and one at the end. The lines
// together have all spans that were lost.
func TestLossesAreToldSeldom(t *testing.T) {
	var text bytes.Buffer
	now := time.Unix(1, 0)
	l := &losses{log: slog.New(slog.NewTextHandler(&text, nil)), room: 10, now: func() time.Time { return now }}
	lines := func() string {
		defer text.Reset()
		return text.String()
	}
	away := errors.New("away")
	for range 5 {
		l.ended.Add(4)
		l.take(4)
		l.export(4, away)
	}
	if got := lines(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "spans=4 error=away") {
		t.Errorf("five failures have the lines %s", got)
	}
	now = now.Add(quiet)
	l.ended.Add(4)
	l.take(4)
	l.export(4, away)
	if got := lines(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "spans=20 error=away") {
		t.Errorf("a minute later there are the lines %s", got)
	}
	now = now.Add(quiet)
	l.ended.Add(30) // ten wait, four are taken, sixteen did not fit
	l.take(4)
	l.export(4, nil)
	if got := lines(); !strings.Contains(got, "spans=16") || !strings.Contains(got, "faster than the collector") {
		t.Errorf("a queue that is full has the lines %s", got)
	}
	l.close()
	if got := lines(); !strings.Contains(got, "spans=10") || !strings.Contains(got, "the server has ended") {
		t.Errorf("the end has the lines %s", got)
	}
}

// Nothing is told where all spans were sent.
func TestNoLossIsTold(t *testing.T) {
	var text bytes.Buffer
	l := &losses{log: slog.New(slog.NewTextHandler(&text, nil)), room: 10, now: time.Now}
	l.ended.Add(12)
	l.take(4)
	l.export(4, nil)
	l.take(8)
	l.export(8, nil)
	l.close()
	if text.Len() > 0 {
		t.Errorf("the log has %s", text.String())
	}
}

// during is a log that does something while a line is written.
type during struct {
	slog.Handler
	do func()
}

func (d during) Handle(context.Context, slog.Record) error {
	d.do()
	return nil
}

// nowhere is a queue that takes nothing.
type nowhere struct{ sdk.SpanProcessor }

func (nowhere) OnEnd(sdk.ReadOnlySpan) {}

// A request does not wait for a line about losses: a log may be slow. This test does not end where one waits.
func TestNoRequestWaitsForTheLog(t *testing.T) {
	l := &losses{room: 10, now: time.Now}
	request := processor{nowhere{}, l}
	l.log = slog.New(during{slog.NewTextHandler(io.Discard, nil), func() { request.OnEnd(nil) }})
	l.handle(errors.New("away"))
	if got := l.ended.Load(); got != 1 {
		t.Errorf("%d spans were counted", got)
	}
}
