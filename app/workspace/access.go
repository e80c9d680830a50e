package workspace

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"conch/app/api"
	"conch/app/store"
	"conch/engine/kserve/enginepb"
)

// Access returns what a repository and the clients of its engine may do. Without an answer of the
// user, only Options.Trusted are trusted.
func (w *Workspace) Access(ctx context.Context, roots []string) store.Access {
	a, err := w.opts.Store.Access(ctx, KeyOf(roots))
	if err != nil {
		w.opts.Log.Warn("nothing is permitted, since the settings cannot be read", "error", err)
	}
	if a.Trust == "" && len(roots) > 0 && !slices.ContainsFunc(roots, func(root string) bool { return !slices.Contains(w.opts.Trusted, root) }) {
		a.Trust = store.Trusted
	}
	return a
}

// SetAccess changes what the open repository and its clients may do, and tells the engine. roots are
// those that the user saw.
func (w *Workspace) SetAccess(ctx context.Context, roots []string, set func(a *store.Access)) error {
	w.accessMu.Lock()
	defer w.accessMu.Unlock()
	w.mu.Lock()
	s := w.open
	w.mu.Unlock()
	if s == nil || !slices.Equal(s.roots, roots) {
		return fmt.Errorf("%w: %s is not open any more", ErrNothingOpen, strings.Join(roots, ", "))
	}
	now := w.Access(ctx, s.roots)
	set(&now)
	if err := w.opts.Store.SetAccess(ctx, s.key, now); err != nil {
		return err
	}
	s.apply(func(*change) []string {
		s.access = now
		return nil
	})
	engine, err := s.ownEngine()
	if err != nil {
		return nil // the engine is told when it starts
	}
	_, err = engine.SetAccess(ctx, &enginepb.SetAccessRequest{
		Overrides: now.Overrides, Trusted: now.Trust == store.Trusted, StrictGpu: now.StrictGPU,
	})
	if err != nil {
		return fmt.Errorf("tell the engine: %w", err)
	}
	return nil
}

// accessMessage returns what is permitted, and which own code models would run. It needs Workspace.mu.
func (s *openRepository) accessMessage() *api.Access {
	out := &api.Access{Overrides: s.access.Overrides, Trust: trusts[s.access.Trust], StrictGpu: s.access.StrictGPU}
	if s.running.server == nil {
		return out // it is not known yet what it could run
	}
	for _, model := range sortedKeys(s.checking.coded) {
		if f := s.checking.known[model]; slices.Contains(s.running.server.Backends, f.backend) {
			for _, file := range f.code {
				out.Code = append(out.Code, &api.OwnCode{Model: model, Field: file.Field, Path: file.Path})
			}
		}
	}
	return out
}

var trusts = map[store.Trust]api.Access_Trust{
	"":               api.Access_TRUST_UNSPECIFIED,
	store.Trusted:    api.Access_TRUST_TRUSTED,
	store.NotTrusted: api.Access_TRUST_NOT_TRUSTED,
}
