package workspace

import "time"

// LeaveFor changes how long a repository that is closed waits for its disk.
func LeaveFor(d time.Duration) (restore func()) {
	before := leaveFor
	leaveFor = d
	return func() { leaveFor = before }
}

// Touch looks again at files that were just written, without waiting for the watcher.
func (w *Workspace) Touch(paths ...string) {
	if stay, err := w.Stay(""); err == nil {
		defer stay.End()
		stay.Touch(paths...)
	}
}

// Judged tells whether every model of the open repository was judged as it is now.
func (w *Workspace) Judged() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.open
	return len(s.checking.waiting) == 0 && len(s.checking.known) == s.analysis.Len()
}

// EmptiedWhile shows the open repository as if all its models had gone from the folder, and has something happen after that was
// judged. It says whether the repository was judged to be away.
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
