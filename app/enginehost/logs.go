package enginehost

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// The number of lines kept in all, and for each model: a model with many lines must not displace the
// lines of others.
const (
	keepLines      = 5000
	keepModelLines = 1000
	// keepBytes limits the texts of all lines, and those of each model: a line may have 64 KB.
	keepBytes = 8 << 20
)

// Line is one line of the engine's log.
type Line struct {
	Time  time.Time
	Level string // DEBUG, INFO, WARN, ERROR; "" for the output of native code
	Model string // "" for lines about no model
	Text  string

	added time.Time
}

// Logs keeps the newest lines.
type Logs struct {
	mu      sync.Mutex
	all     ring
	byModel map[string]*ring
	last    Line // may tell why an engine ended: see lastWords
}

func newLogs() *Logs {
	return &Logs{all: ring{limit: keepLines}, byModel: map[string]*ring{}}
}

// Lines returns the newest lines, oldest first, of one model or of all.
func (l *Logs) Lines(model string, limit int) []Line {
	l.mu.Lock()
	defer l.mu.Unlock()
	if model == "" {
		return l.all.newest(limit)
	}
	if r := l.byModel[model]; r != nil {
		return r.newest(limit)
	}
	return nil
}

func (l *Logs) add(raw string) {
	line := parseLine(raw)
	line.added = time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all.add(line)
	if (line.Level == "ERROR" || line.Level == "") && !isCrash(l.last.Text) {
		l.last = line
	}
	if line.Model == "" {
		return
	}
	if l.byModel[line.Model] == nil {
		l.byModel[line.Model] = &ring{limit: keepModelLines}
	}
	l.byModel[line.Model].add(line)
}

// isCrash reports whether a line begins the report of a crash: it tells more than the many lines after
// it.
func isCrash(text string) bool {
	for _, begin := range []string{"panic:", "fatal error:", "SIG", "terminate called", "runtime:"} {
		if strings.HasPrefix(text, begin) {
			return true
		}
	}
	return false
}

// freshWords is the age up to which a line may be about the end of the engine.
const freshWords = 5 * time.Second

// lastWords returns the line that may tell why an engine has just ended, "" when there is none. After
// a signal only output without the logger counts: an error that the engine survived is not the cause.
func (l *Logs) lastWords(bySignal bool) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	last := l.last
	l.last = Line{}
	if bySignal && last.Level != "" || time.Since(last.added) > freshWords {
		return ""
	}
	return last.Text
}

// ring holds the newest lines up to a number, and up to keepBytes.
type ring struct {
	limit int
	lines []Line // the oldest first
	bytes int    // of their texts
}

func (r *ring) add(line Line) {
	r.lines = append(r.lines, line)
	r.bytes += len(line.Text)
	for len(r.lines) > r.limit || r.bytes > keepBytes {
		r.bytes -= len(r.lines[0].Text)
		r.lines[0] = Line{} // so that its text is freed
		r.lines = r.lines[1:]
	}
}

func (r *ring) newest(limit int) []Line {
	if limit > 0 && len(r.lines) > limit {
		return slices.Clone(r.lines[len(r.lines)-limit:])
	}
	return slices.Clone(r.lines)
}

// parseLine reads a line of slog's JSON. Other lines, such as the output of native code, are kept as
// they are.
func parseLine(raw string) Line {
	var fields map[string]any
	if !strings.HasPrefix(raw, "{") || json.Unmarshal([]byte(raw), &fields) != nil {
		return Line{Time: time.Now(), Text: raw}
	}
	line := Line{Level: take(fields, "level"), Model: take(fields, "model"), Text: take(fields, "msg")}
	at, err := time.Parse(time.RFC3339Nano, take(fields, "time"))
	if err != nil {
		at = time.Now()
	}
	line.Time = at
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		line.Text += fmt.Sprintf(" %s=%v", key, fields[key])
	}
	return line
}

func take(fields map[string]any, key string) string {
	text, _ := fields[key].(string)
	delete(fields, key)
	return text
}
