package model

import (
	"fmt"
	"log/slog"
	"time"

	"conch/engine/guarded"
	"conch/engine/lastwords"
	"conch/engine/period"
)

// The bounds of what the log says about requests that fail. In a window a client may send ten thousand requests a second,
// and a model's lines must stay readable: the first requests have a line each, the others are counted.
const (
	failureWindow = 10 * time.Second
	// linesAWindow is how many requests of a window have a line, and linesAlike how many with the same error.
	linesAWindow = 20
	linesAlike   = 3
	// longestFailure is how many bytes of an error are logged. An error of a Python program has its stack.
	longestFailure = 4 << 10
)

// failures writes the requests that failed in one version to the log.
type failures struct {
	log   *slog.Logger
	state guarded.Value[failureCount]
}

// failureCount is what was logged in the current window.
type failureCount struct {
	lines int
	alike map[string]int // lines by their text; nil while no window is open
	left  uint64         // requests that had no line
}

// add logs a request that failed, or counts it. id is the request's own, or "".
func (f *failures) add(id string, err error) {
	text := shortened(lastwords.Without(err.Error()), longestFailure)
	if !f.tells(text) {
		return
	}
	if id == "" {
		f.log.Warn("a request failed", "error", text)
		return
	}
	f.log.Warn("a request failed", "error", text, "request", shortened(id, longestFailure))
}

// tells reports whether a request has a line, and counts it. The first request opens a window.
func (f *failures) tells(text string) bool {
	s := f.state.Lock()
	defer f.state.Unlock()
	if s.alike == nil {
		s.alike = map[string]int{}
		time.AfterFunc(failureWindow, f.end)
	}
	if s.lines == linesAWindow || s.alike[text] == linesAlike {
		s.left++
		return false
	}
	s.lines++
	s.alike[text]++
	return true
}

// end ends a window, and logs how many requests had no line.
func (f *failures) end() {
	s := f.state.Lock()
	left := s.left
	*s = failureCount{}
	f.state.Unlock()
	switch {
	case left == 1:
		f.log.Warn(fmt.Sprintf("1 more request failed within %s, and has no line of its own", period.Text(failureWindow)))
	case left > 1:
		f.log.Warn(fmt.Sprintf("%d more requests failed within %s, and have no lines of their own", left, period.Text(failureWindow)))
	}
}
