package workspace

import (
	"maps"
	"slices"

	"conch/app/api"
	"conch/engine/kserve/enginepb"
)

// renewals are the models that the engine has loaded, or tried to, since their answers were looked up. When a Python model is
// loaded, its program may have completed the config: then the editor knows more than before. Workspace.mu guards the names.
type renewals struct {
	names map[string]bool
	wake  chan struct{} // has a value when there are names
}

func newRenewals() renewals {
	return renewals{names: map[string]bool{}, wake: make(chan struct{}, 1)}
}

// noteRan needs Workspace.mu. It notes the models whose programs have run.
func (r *renewals) noteRan(models []*enginepb.Model) {
	for _, m := range models {
		if state, _ := StateOf(m); state != api.ModelState_MODEL_STATE_LOADING {
			r.names[m.Name] = true
		}
	}
	if len(r.names) == 0 {
		return
	}
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// renew judges the models again whose programs have answered something new. Only the goroutine that follows the repository
// calls it.
func (s *openRepository) renew() {
	s.w.mu.Lock()
	names, disk := slices.Collect(maps.Keys(s.renewals.names)), s.disk
	clear(s.renewals.names)
	s.w.mu.Unlock()
	next := disk.Renewed(names)
	if next == disk {
		return
	}
	s.installMu.Lock()
	defer s.installMu.Unlock()
	s.install(next, nil, nil)
}
