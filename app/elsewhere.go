package app

import (
	"context"
	"errors"

	"conch/app/single"
	"conch/app/store"
	"conch/engine/userdir"
)

// Elsewhere asks the workbench that has the repositories, if one runs, to come to the front. It
// returns nil when none does.
func Elsewhere(ctx context.Context, opts Options) *single.ElsewhereError {
	dir := opts.DataDir
	if dir == "" {
		dir = userdir.Data()
	}
	if !single.AnyRunning(dir) {
		return nil
	}
	roots := opts.Repositories
	if len(roots) == 0 && opts.Last && opts.Attach == "" {
		roots = lastIn(ctx, dir)
	}
	if len(roots) == 0 {
		return nil
	}
	held, err := single.Find(dir, roots)
	if err != nil || held == nil {
		return nil // the opening of the repository reports what is wrong
	}
	return held
}

// lastIn returns what was open last. It opens the history for this question only.
func lastIn(ctx context.Context, dir string) []string {
	s, err := store.Open(ctx, store.Options{Dir: dir})
	if err != nil {
		return nil
	}
	roots, err := s.LastVisit(ctx)
	if errors.Join(err, s.Close()) != nil {
		return nil
	}
	return roots
}

// Announce sets where this workbench is, if it has an address, and what brings it to the front, if it
// has a window.
func (a *App) Announce(at func() single.Address, show func()) { a.keeper.Announce(at, show) }

// claim takes a repository for this workbench. Where no lock can be taken, the repository is opened
// anyway.
func (a *App) claim(roots []string, opts Options) (release func(), err error) {
	nothing := func() {}
	if opts.Kind == "" {
		return nothing, nil
	}
	release, err = a.keeper.Claim(roots)
	var elsewhere *single.ElsewhereError
	if err != nil && !errors.As(err, &elsewhere) {
		opts.Log.Warn("a second start will not find this one", "error", err)
		return nothing, nil
	}
	return release, err
}
