package control

import (
	"time"

	"conch/configedit/folder"
)

// rootSettles is how long a repository that was away, or was put in another's place, may take to be
// whole again. What is missing from it then has been removed.
const rootSettles = 15 * time.Second

// roots is what is known of each repository, by its path. It is a part of state.
type roots map[string]*rootState

// rootState is what is known of a repository.
type rootState struct {
	identity string
	models   int
	trouble  string      // why what was loaded from it keeps serving; "" when all is well
	settling *time.Timer // runs while it may not be whole yet; nil otherwise
}

// see compares the repositories with what they were. It gives what to tell people. settle makes the
// timer at whose end a repository counts as whole.
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

// held says why a model of a repository that is not in it keeps serving; "" when it was removed.
func (r roots) held(path string) string {
	root := r[path]
	switch {
	case path == "" || root == nil || root.trouble == "" && root.settling == nil:
		return ""
	case root.trouble != "":
		return root.trouble
	}
	return path + " was away or replaced a moment ago, and the model is not in it yet"
}

// troubles are why repositories cannot be followed, by path.
func (r roots) troubles() map[string]string {
	troubles := map[string]string{}
	for path, root := range r {
		if root.trouble != "" {
			troubles[path] = root.trouble
		}
	}
	return troubles
}

// whole notes that a repository has settled; false where it has begun to settle anew.
func (r roots) whole(path string, timer *time.Timer) bool {
	root := r[path]
	if root.settling != timer {
		return false
	}
	root.settling = nil
	return true
}

// see notes how one repository is.
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

// settle begins to wait anew, or ends the waiting.
func (r *rootState) settle(timer *time.Timer) {
	if r.settling != nil {
		r.settling.Stop()
	}
	r.settling = timer
}
