package workspace

import (
	"context"
	"maps"
	"slices"
	"time"

	"conch/app/api"
)

const (
	// maxNotices limits what waits for a reader; older notices are in the store.
	maxNotices = 100
	// heartbeat is the longest time without an update. A reader takes several missing heartbeats as a
	// lost connection.
	heartbeat = 5 * time.Second
)

// Subscription is one reader's place in the stream.
type Subscription struct {
	w    *Workspace
	wake chan struct{} // has a token when something is marked

	// The rest is guarded by Workspace.mu.
	whole      bool // everything must be sent
	repository bool
	engine     bool
	drafts     bool
	problems   bool
	models     map[string]bool
	notices    []*api.Notice
	files      map[fileKey]*api.FileChange
}

type fileKey struct{ model, path string }

// Subscribe begins a stream. Call Close when done with it.
func (w *Workspace) Subscribe() *Subscription {
	s := &Subscription{w: w, wake: make(chan struct{}, 1)}
	w.mu.Lock()
	defer w.mu.Unlock()
	s.restart()
	s.notices, w.untold = w.withKeeping(w.untold), nil
	w.subs[s] = true
	return s
}

// Close ends the stream.
func (s *Subscription) Close() {
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	delete(s.w.subs, s)
}

// Next waits for the next update, or for the time of a heartbeat.
func (s *Subscription) Next(ctx context.Context) (*api.WorkspaceUpdate, error) {
	timer := time.NewTimer(heartbeat)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-s.wake:
		if err := s.gather(ctx); err != nil {
			return nil, err
		}
		return s.take(), nil
	case <-timer.C:
		return &api.WorkspaceUpdate{Seq: s.w.seq(), Heartbeat: true}, nil
	}
}

// gather waits a moment for more changes, but not before the first update. So the answer to a key
// comes before the changes of lists and badges, and several keys change these once.
func (s *Subscription) gather(ctx context.Context) error {
	s.w.mu.Lock()
	whole := s.whole
	s.w.mu.Unlock()
	if whole {
		return nil
	}
	pause := time.NewTimer(publishEvery)
	defer pause.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-pause.C:
		return nil
	}
}

func (w *Workspace) seq() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.world.seq
}

// mark adds a change to what waits. It needs Workspace.mu.
func (s *Subscription) mark(c change) {
	s.repository = s.repository || c.repository
	s.engine = s.engine || c.engine
	s.drafts = s.drafts || c.drafts
	s.problems = s.problems || c.problems
	for _, name := range c.models {
		s.models[name] = true
	}
	s.notices = append(s.notices, c.notices...)
	s.notices = s.notices[max(0, len(s.notices)-maxNotices):]
	for _, f := range c.files {
		s.files[fileKey{f.Model, f.Path}] = f
	}
	s.signal()
}

// restart marks everything. It needs Workspace.mu.
func (s *Subscription) restart() {
	s.whole, s.models, s.files = true, map[string]bool{}, map[fileKey]*api.FileChange{}
	s.signal()
}

func (s *Subscription) signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// take makes one update from the current snapshot, for all changes since the last.
func (s *Subscription) take() *api.WorkspaceUpdate {
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	select { // what was marked since the token was taken is included
	case <-s.wake:
	default:
	}
	world := &s.w.world
	u := &api.WorkspaceUpdate{Seq: world.seq, Reset_: s.whole, Notices: s.notices, Problems: s.problems}
	if s.whole || s.repository {
		u.Repository = world.repository
	}
	if s.whole || s.engine {
		u.Engine = world.engine
	}
	if s.whole || s.drafts {
		u.Drafts = world.drafts
	}
	names := slices.Sorted(maps.Keys(s.models))
	if s.whole {
		names = sortedKeys(world.models)
	}
	for _, name := range names {
		if m := world.models[name]; m != nil {
			u.Models = append(u.Models, m)
		} else {
			u.RemovedModels = append(u.RemovedModels, name)
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(s.files), compareFiles) {
		u.Files = append(u.Files, s.files[key])
	}
	*s = Subscription{w: s.w, wake: s.wake, models: map[string]bool{}, files: map[fileKey]*api.FileChange{}}
	return u
}
