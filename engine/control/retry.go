package control

import (
	"strings"
	"syscall"
	"time"
)

// A load that failed for a passing reason is tried again after this time, then after twice as long, and so on.
const (
	firstRetry = time.Second
	lastRetry  = time.Minute
)

// passingReasons are what the system says when it lacks something for a while; ONNX Runtime tells no more than the number.
var passingReasons = []string{
	syscall.EMFILE.Error(), "system error number 24", syscall.ENFILE.Error(), "system error number 23",
	syscall.ENOMEM.Error(), "system error number 12", syscall.EIO.Error(), "system error number 5",
}

// passes says whether a failure may be gone without anybody's doing.
func (f *failure) passes() bool {
	text := strings.ToLower(f.text())
	for _, reason := range passingReasons {
		if at := strings.Index(text, reason); at >= 0 && !digitAt(text, at+len(reason)) {
			return true
		}
	}
	return false
}

// digitAt says whether a number goes on there: 5 is not 51.
func digitAt(text string, at int) bool { return at < len(text) && text[at] >= '0' && text[at] <= '9' }

// retryLater has a model that follows its files loaded again when its load failed for a passing reason. m.mu is held.
func (m *Manager) retryLater(e *entry) {
	if !e.failed.passes() || !m.follows(e) || m.closing {
		return
	}
	wait := min(firstRetry<<min(e.retries, 10), lastRetry)
	e.retries++
	key, failed := e.name, e.failed
	time.AfterFunc(wait, func() { m.retry(key, failed) })
	m.log.Info("the load is tried again", "model", key, "in", wait)
}

// retry loads a model again, unless something has happened to it meanwhile.
func (m *Manager) retry(key string, failed *failure) {
	if m.life.Err() != nil {
		return
	}
	if _, err := m.o.Library.Refresh(m.life, m.names.identity(key).name); err != nil {
		m.log.Warn("looking at the repository", "error", err)
	}
	m.accept(m.o.Library.Current())
	m.mu.Lock()
	e := m.entries[key]
	due := e != nil && e.failed == failed && m.newest(key) == nil
	m.mu.Unlock()
	if !due {
		return
	}
	if r := m.enlist(m.life, map[string]order{key: {action: loadModel, again: true}}); r != nil {
		r.carryOut()
	}
}
