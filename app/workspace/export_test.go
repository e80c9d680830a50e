package workspace

import "time"

// LeaveFor changes how long a repository that is closed waits for its disk.
func LeaveFor(d time.Duration) (restore func()) {
	before := leaveFor
	leaveFor = d
	return func() { leaveFor = before }
}

// Touch rescans files that were just written, without waiting for the watcher.
func (w *Workspace) Touch(paths ...string) {
	if stay, err := w.Stay(""); err == nil {
		defer stay.End()
		stay.Touch(paths...)
	}
}

// Judged reports whether every model of the open repository was judged in its current state.
func (w *Workspace) Judged() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.open
	return len(s.checking.waiting) == 0 && len(s.checking.known) == s.analysis.Len()
}

// EmptiedWhile shows the open repository as if all its models had disappeared from the folder, and
// calls happens after that was judged. It reports whether the repository was judged to be away.
func (w *Workspace) EmptiedWhile(happens func()) (away bool) {
	w.mu.Lock()
	s := w.open
	w.mu.Unlock()
	index := *s.repo.Current()
	index.Models = nil
	judged := s.judge(&index)
	happens()
	s.show(judged)
	return len(judged.away) > 0
}
