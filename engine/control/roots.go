package control

import (
	"fmt"
	"time"
)

// rootSettles is how long a repository that was away, or was put in another's place, may take to be whole again. What is missing
// from it then has been removed.
const rootSettles = 15 * time.Second

// severalGo is how many models have to be gone at once for a repository without any to be suddenly empty, and not emptied.
const severalGo = 2

// rootState is what is known of a repository. Manager.mu guards it.
type rootState struct {
	identity string
	models   int
	trouble  string      // why what was loaded from it keeps serving; "" when all is well
	settling *time.Timer // runs while it may not be whole yet; nil otherwise
}

// holds says whether what is missing from a repository keeps serving.
func (r *rootState) holds() bool { return r != nil && (r.trouble != "" || r.settling != nil) }

// lookAtRoots compares the repositories with what they were. It gives what to tell people. m.mu is held.
func (m *Manager) lookAtRoots(l *Listing) (news []Happening) {
	count := map[string]int{}
	for i := range l.Models {
		count[l.Models[i].Root]++
	}
	for _, found := range l.Roots {
		r := m.roots[found.Path]
		if r == nil {
			r = &rootState{identity: found.Identity}
			m.roots[found.Path] = r
		}
		if h, told := m.lookAtRoot(r, found, count[found.Path]); told {
			news = append(news, h)
		}
	}
	return news
}

// lookAtRoot notes how one repository is. m.mu is held.
func (m *Manager) lookAtRoot(r *rootState, found FoundRoot, models int) (news Happening, told bool) {
	before, had := r.trouble, r.models
	replaced := found.Trouble == nil && found.Identity != r.identity
	switch {
	case found.Trouble != nil:
		r.trouble = found.Trouble.Error()
	case models == 0 && (before != "" || replaced && had > 0 || had >= severalGo):
		r.trouble = fmt.Sprintf("%s has no models any more. If they were removed on purpose, unload them or restart the server", found.Path)
	case models > 0 || before == "":
		r.trouble = ""
	}
	if found.Trouble == nil {
		r.identity = found.Identity
	}
	grew := models > had
	if r.trouble == "" || found.Trouble == nil {
		r.models = models
	}
	switch {
	case r.trouble != "":
		r.settle(nil)
	case before != "" || replaced && had > 0 || r.settling != nil && grew:
		r.settle(m.settled(found.Path))
	}
	switch {
	case r.trouble != "" && r.trouble != before:
		return Happening{Kind: RepositoryTrouble, Reason: r.trouble + ". What was loaded from it keeps serving.", Time: time.Now()}, true
	case r.trouble == "" && before != "":
		return Happening{Kind: RepositoryBack, Reason: found.Path + " can be read again.", Time: time.Now()}, true
	}
	return Happening{}, false
}

// settle begins to wait anew, or ends the waiting.
func (r *rootState) settle(timer *time.Timer) {
	if r.settling != nil {
		r.settling.Stop()
	}
	r.settling = timer
}

// settled makes a timer at whose end a repository counts as whole. m.mu is held.
func (m *Manager) settled(path string) *time.Timer {
	var timer *time.Timer
	timer = time.AfterFunc(rootSettles, func() {
		m.mu.Lock()
		r := m.roots[path]
		if r.settling != timer || m.closing {
			m.mu.Unlock()
			return
		}
		r.settling = nil
		m.mu.Unlock()
		m.follow(m.o.Library.Current())
	})
	return timer
}

// held says why a model that is not in its repository keeps serving; "" when it was removed. m.mu is held.
func (m *Manager) held(e *entry) string {
	if e == nil || e.root == "" || !m.roots[e.root].holds() {
		return ""
	}
	if why := m.roots[e.root].trouble; why != "" {
		return why
	}
	return e.root + " was away or replaced a moment ago, and the model is not in it yet"
}

// isHeld says the same by a model's key.
func (m *Manager) isHeld(key string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.held(m.entries[key]) != ""
}

// RootTroubles are why repositories cannot be followed, by path.
func (m *Manager) RootTroubles() map[string]string {
	m.mu.Lock()
	defer m.mu.Unlock()
	troubles := map[string]string{}
	for path, r := range m.roots {
		if r.trouble != "" {
			troubles[path] = r.trouble
		}
	}
	return troubles
}
