//go:build unix

package apptest

import (
	"context"
	"testing"
	"time"

	"connectrpc.com/connect"

	"conch/app/api"
)

// Snapshot is what a page knows from the stream.
type Snapshot struct {
	Repository *api.Repository
	Engine     *api.Engine
	Models     map[string]*api.ModelSummary
	Notices    []string
	Drafts     []*api.DraftInfo
}

// State returns the state of a model.
func (s *Snapshot) State(name string) api.ModelState { return s.Models[name].GetState() }

// Until follows the stream until a condition holds.
func (w *Window) Until(t *testing.T, what string, met func(s *Snapshot) bool) *Snapshot {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	stream, err := w.Workspace.Watch(ctx, connect.NewRequest(&api.WatchRequest{}))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stream.Close() }()
	s := &Snapshot{Models: map[string]*api.ModelSummary{}}
	for stream.Receive() {
		s.take(stream.Msg())
		if met(s) {
			return s
		}
	}
	t.Fatalf("waited in vain until %s: %v; engine %v, models %v, notices %q", what, stream.Err(), s.Engine, s.Models, s.Notices)
	return nil
}

func (s *Snapshot) take(u *api.WorkspaceUpdate) {
	if u.Repository != nil {
		s.Repository = u.Repository
	}
	if u.Engine != nil {
		s.Engine = u.Engine
	}
	if u.Drafts != nil {
		s.Drafts = u.Drafts.List
	}
	for _, m := range u.Models {
		s.Models[m.Name] = m
	}
	for _, name := range u.RemovedModels {
		delete(s.Models, name)
	}
	for _, n := range u.Notices {
		s.Notices = append(s.Notices, n.Text)
	}
}

// AllReady reports whether all models are ready.
func AllReady(s *Snapshot) bool {
	for _, m := range s.Models {
		if m.State != api.ModelState_MODEL_STATE_READY {
			return false
		}
	}
	return len(s.Models) > 0
}
