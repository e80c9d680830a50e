package app

import (
	"context"
	"fmt"

	"conch/app/enginehost"
	"conch/app/servers"
	"conch/app/workspace"
)

// remotes are the named servers as the workspace sees them.
type remotes struct{ list *servers.List }

func (r remotes) Find(name string) (workspace.Remote, error) {
	s, err := r.list.Find(context.Background(), name)
	if err != nil {
		return workspace.Remote{}, err
	}
	return workspace.Remote{Name: s.Name, Address: s.URL(), Here: s.Here()}, nil
}

func (r remotes) Start(name string, up func(enginehost.Update)) (workspace.Engine, error) {
	s, err := r.list.Start(context.Background(), name, up)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// attachFirst shows the server of the start: a name, or an address for this start only.
func (a *App) attachFirst(ctx context.Context, named string) error {
	if named == "" {
		return nil
	}
	if _, err := a.servers.Find(ctx, named); err != nil {
		name, err := a.servers.Give(named)
		if err != nil {
			return fmt.Errorf("attach to %s: no server is called so, and as an address %w", named, err)
		}
		named = name
	}
	return a.workspace.Attach(named)
}

// attachLast shows the server that was shown last, beside the repository that was open last. It does not wait for its answer.
func (a *App) attachLast(ctx context.Context, opts Options) {
	if !opts.Last || opts.Attach != "" || len(opts.Repositories) > 0 {
		return
	}
	name, err := a.servers.Shown(ctx)
	if err == nil && name != "" {
		err = a.workspace.Attach(name)
	}
	if err != nil {
		opts.Log.Warn("the server that was shown last is not shown", "error", err)
	}
}
