package control

import (
	"time"

	"conch/configedit/folder"
)

// rootSettles is how long a repository that was missing or replaced may take to be complete again.
// A model that is missing after that was removed.
const rootSettles = 15 * time.Second

// roots are the states of the repositories, by path. They belong to state.
type roots map[string]*rootState

// rootState is the state of a repository.
type rootState struct {
	identity string
	models   int
	trouble  string      // why its missing models keep serving; "" when there is no trouble
	settling *time.Timer // runs while it may be incomplete; nil otherwise
}

// see compares the repositories with their last state. It returns the news for people. settle
// returns the timer after which a repository counts as complete.
func (r roots) see(l *Listing, settle func(path string) *time.Timer) (news []Happening) {
	count := map[string]int{}
	for i := range l.Models {
		count[l.Models[i].Root]++
	}
	for _, found := range l.Roots {
		root := r[found.Path]
		if root == nil {
			root = &rootState{identity: found.Identity}
			r[found.Path] = root
		}
		if h, told := root.see(found, count[found.Path], settle); told {
			news = append(news, h)
		}
	}
	return news
}

// held returns why a model that is missing in its repository keeps serving; "" when it was removed.
func (r roots) held(path string) string {
	root := r[path]
	switch {
	case path == "" || root == nil || root.trouble == "" && root.settling == nil:
		return ""
	case root.trouble != "":
		return root.trouble
	}
	return path + " was missing or replaced a moment ago, and the model is not back in it yet"
}

// whole records that a repository is complete. It returns false when the repository has begun to
// settle again.
func (r roots) whole(path string, timer *time.Timer) bool {
	root := r[path]
	if root.settling != timer {
		return false
	}
	root.settling = nil
	return true
}

// see records the state of one repository.
func (r *rootState) see(found FoundRoot, models int, settle func(path string) *time.Timer) (news Happening, told bool) {
	before, had := r.trouble, r.models
	replaced := found.Trouble == nil && found.Identity != r.identity
	switch {
	case found.Trouble != nil:
		r.trouble = found.Trouble.Error()
	case models == 0 && (before != "" || folder.Vanished(had, replaced)):
		r.trouble = found.Path +
			" has no models any more. If they were removed on purpose, unload them or restart the server"
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
		r.settle(settle(found.Path))
	}
	switch {
	case r.trouble != "" && r.trouble != before:
		reason := r.trouble + ". What was loaded from it keeps serving."
		return Happening{Kind: RepositoryTrouble, Reason: reason, Time: time.Now()}, true
	case r.trouble == "" && before != "":
		return Happening{Kind: RepositoryBack, Reason: found.Path + " can be read again.", Time: time.Now()}, true
	}
	return Happening{}, false
}

// settle begins the wait again, or ends it.
func (r *rootState) settle(timer *time.Timer) {
	if r.settling != nil {
		r.settling.Stop()
	}
	r.settling = timer
}
