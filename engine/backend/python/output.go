package python

import (
	"bytes"
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"conch/engine/backend/python/wire"
)

const (
	// longestLine is the longest line that is kept whole.
	longestLine = 8 << 10
	// linesASecond is how many lines of a process are logged in a second; a model that prints without end fills no disk.
	linesASecond = 1000
	// tailLines is how many last lines of stderr say why a process ended.
	tailLines = 20
)

// output is what a process prints. It goes to the model's log.
type output struct {
	log *slog.Logger
	own []string // how lines begin with which faulthandler tells frames of our Python code

	mu     sync.Mutex // guards what follows
	last   []string   // lines of stderr
	second time.Time  // of the count
	lines  int
	left   int // out
	all    []*stream
	stacks chan string // gets the lines of stderr in which a process says where it is; nil when nobody asks
}

func newOutput(log *slog.Logger, library string) *output {
	own := []string{"<frozen runpy>\"", filepath.Join(library, "__main__.py") + "\"", filepath.Join(library, "conch_worker") + "/"}
	for i, file := range own {
		own[i] = "  File \"" + file
	}
	return &output{log: log, own: own}
}

// isOwn reports whether a line is one of faulthandler about our Python code. Python's own tracebacks say ", in FUNCTION" there.
func (o *output) isOwn(line string) bool {
	return !strings.Contains(line, ", in ") && slices.ContainsFunc(o.own, func(begin string) bool { return strings.HasPrefix(line, begin) })
}

// stream returns where a stream of the process goes.
func (o *output) stream(name string) *stream {
	s := &stream{of: o, name: name}
	o.all = append(o.all, s)
	return s
}

// stream takes one of the process's streams line by line.
type stream struct {
	of   *output
	name string
	line []byte
}

// Write takes what the process prints.
func (s *stream) Write(text []byte) (int, error) {
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	for rest := text; len(rest) > 0; {
		end := bytes.IndexByte(rest, '\n')
		part := rest
		if end >= 0 {
			part, rest = rest[:end], rest[end+1:]
		} else {
			rest = nil
		}
		if room := longestLine - len(s.line); room > 0 {
			s.line = append(s.line, part[:min(room, len(part))]...)
		}
		if end >= 0 {
			s.end()
		}
	}
	return len(text), nil
}

// end ends a line.
func (s *stream) end() {
	line := strings.TrimRight(string(s.line), "\r")
	s.line = s.line[:0]
	o := s.of
	if s.name == "stderr" {
		var left bool
		if line, left = o.takeStack(line); !left || o.isOwn(line) {
			return
		}
		if o.last = append(o.last, line); len(o.last) > tailLines {
			o.last = o.last[1:]
		}
	}
	level := slog.LevelInfo
	if s.name == "stderr" {
		level = slog.LevelWarn
	}
	o.tell(level, line, "stream", s.name)
}

// tell writes a line to the log, unless there were too many. The caller holds o.mu.
func (o *output) tell(level slog.Level, line string, attributes ...any) {
	if now := time.Now(); now.Sub(o.second) >= time.Second {
		o.tellLeft()
		o.second, o.lines = now, 0
	}
	if o.lines++; o.lines > linesASecond {
		o.left++
		return
	}
	o.log.Log(context.Background(), level, line, attributes...)
}

func (o *output) tellLeft() {
	if o.left > 0 {
		o.log.Warn("the model prints too much; lines were left out", "lines", o.left)
		o.left = 0
	}
}

// flush takes what has no end of line. Nothing is written any more.
func (o *output) flush() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, s := range o.all {
		if len(s.line) > 0 {
			s.end()
		}
	}
	o.tellLeft()
}

// tail returns the last lines of stderr.
func (o *output) tail() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.TrimSpace(strings.Join(o.last, "\n"))
}

// levels are the levels of what a model logs itself.
var levels = [...]slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn, slog.LevelError}

// logged takes what a model logs by Triton's Logger.
func (p *process) logged(payload []byte) error {
	r := wire.NewReader(payload, nil)
	level, line := r.Uint32(), r.Uint32()
	file := r.Text(r.Uint32())
	text := string(r.Rest())
	if err := r.Err(); err != nil {
		return err
	}
	p.output.mu.Lock()
	defer p.output.mu.Unlock()
	p.output.tell(levels[min(int(level), len(levels)-1)], text, "file", file, "line", line)
	return nil
}
