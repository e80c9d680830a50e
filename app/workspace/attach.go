package workspace

import (
	"context"
	"errors"
	"fmt"

	"conch/app/enginehost"
	"conch/app/language"
	"conch/configedit/modelconfig"
	"conch/engine/kserve/enginepb"
	"conch/repo"
)

// Remote is a server elsewhere that can serve in place of the engine of this machine.
type Remote struct {
	Name    string
	Address string // a URL
	Here    bool   // it is on this machine
}

// Remotes are the servers that a person has named.
type Remotes interface {
	Find(name string) (Remote, error)
	// Start begins to follow a server and returns at once, also when it does not answer.
	Start(name string, up func(enginehost.Update)) (Engine, error)
}

// ErrNoServer is the error of calls that name a server which is not kept.
var ErrNoServer = errors.New("no server has this name")

// ErrUnknownConfig is the error of calls that need the config of a model that only a remote server has.
var ErrUnknownConfig = errors.New("the server does not tell the config")

// ErrOtherServer is the error of a control call that was meant for a server which is not shown any more.
var ErrOtherServer = errors.New("another server is shown now")

// RemoteKey names in the store what a server does.
func RemoteKey(name string) string { return "server\n" + name }

// Attach shows a server beside the open repository, or alone where none is open. "" stands for the
// engine of this machine. It waits for no server: Update.engine reports whether it answers.
func (w *Workspace) Attach(name string) error {
	w.openMu.Lock()
	defer w.openMu.Unlock()
	if name == "" {
		w.detach()
		return nil
	}
	if w.opts.Remotes == nil {
		return fmt.Errorf("%w: %s", ErrNoServer, name)
	}
	remote, err := w.opts.Remotes.Find(name)
	if err != nil {
		return err
	}
	if w.open == nil || w.open.isBare() {
		s, err := w.openBare(remote)
		if err != nil {
			return err
		}
		w.closeOpen()
		w.reset(s, w.emptyWorld(hindrance{}))
		s.run()
	}
	return w.open.attach(remote)
}

// remoteShown needs openMu. It returns the server that is shown; nil for the engine of this machine.
func (w *Workspace) remoteShown() *Remote {
	if w.open == nil {
		return nil
	}
	return w.open.side.remote
}

// detach needs openMu.
func (w *Workspace) detach() {
	switch s := w.open; {
	case s == nil:
	case s.isBare():
		w.closeOpen()
		w.reset(nil, w.emptyWorld(hindrance{sentence: nothingOpen}))
	default:
		started := s.switchTo(s.local)
		if !started {
			s.startLocal()
		}
	}
}

// isBare reports whether there is only a server, and no repository.
func (s *openRepository) isBare() bool { return len(s.roots) == 0 }

// openBare needs openMu. It makes a repository without folders, for a server that is shown alone.
func (w *Workspace) openBare(remote Remote) (*openRepository, error) {
	ctx, stop := context.WithCancel(context.Background())
	none, err := repo.None(ctx)
	if err != nil {
		stop()
		return nil, err
	}
	s := w.newOpen(ctx, stop, none, nil)
	s.key = RemoteKey(remote.Name)
	s.id, s.release = s.key, func() {}
	s.side = &side{remote: &remote} // so that no engine is started here
	return s, nil
}

// attach needs openMu. It shows a server instead of what is shown.
func (s *openRepository) attach(remote Remote) error {
	next := &side{remote: &remote}
	s.switchTo(next)
	engine, err := s.w.opts.Remotes.Start(remote.Name, func(u enginehost.Update) { s.engineUpdate(next, u) })
	if err != nil {
		s.engineUpdate(next, enginehost.Update{Status: &enginehost.Status{State: enginehost.Stopped, Reason: err.Error()}})
		return err
	}
	s.follows(next, engine)
	return nil
}

// switchTo shows another side, and ends the server that was shown before, after the requests that are under way there. The
// engine of this machine goes on. It reports whether next was started before.
func (s *openRepository) switchTo(next *side) (started bool) {
	var before *side
	s.apply(func(*change) []string {
		touched := append(sortedKeys(s.running.models), s.analysis.Names()...)
		before, s.side = s.side, next
		s.running = engineState{models: map[string]*enginepb.Model{}, status: next.status}
		s.process, s.served, s.configs = processFigures{}, nil, nil
		clear(s.rates)
		clear(s.waiting)
		clear(s.failed)
		s.restoring = !next.isRemote() && !next.restored
		started = next.engine != nil
		return touched
	})
	if insider, ok := next.engine.(Insider); ok {
		insider.Resend()
	}
	if before != next && before.isRemote() && before.engine != nil {
		s.endAfterRequests(before)
	}
	return started
}

// noteConfigs takes over what a server serves models with. It needs Workspace.mu.
func (s *openRepository) noteConfigs(changed map[string]*modelconfig.ModelConfig) {
	if s.configs == nil {
		s.configs = map[string]*modelconfig.ModelConfig{}
	}
	for name, cfg := range changed {
		if cfg == nil {
			delete(s.configs, name)
		} else {
			s.configs[name] = cfg
		}
	}
	s.served = language.Served(s.configs, s.served)
}

// Served returns what the attached server serves its models with, as far as it tells; nil while the
// engine of this machine is shown.
func (w *Workspace) Served() *language.Analysis {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.open == nil {
		return nil
	}
	return w.open.served
}

// ServedStates returns what the attached server tells of its models; nil while the engine of this
// machine is shown. The messages are never changed.
func (w *Workspace) ServedStates() map[string]*enginepb.Model {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.open == nil || !w.open.side.isRemote() {
		return nil
	}
	states := make(map[string]*enginepb.Model, len(w.open.running.models))
	for name, m := range w.open.running.models {
		states[name] = m
	}
	return states
}

// Permit checks that a control call may be made. For a server that is not on this machine the user has
// to have agreed: server is its name.
func (w *Workspace) Permit(server string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.open == nil {
		return ErrNothingOpen
	}
	shown := w.open.side.remote
	switch {
	case shown == nil && server == "":
		return nil
	case shown == nil:
		return fmt.Errorf("%w: the engine of this machine. Nothing was done; switch to %s and try again", ErrOtherServer, server)
	case shown.Name == server || server == "" && shown.Here:
		return nil
	case server == "":
		return fmt.Errorf("%w: %s, which is not on this machine. Nothing was done, because nobody confirmed it", ErrOtherServer, shown.Name)
	}
	return fmt.Errorf("%w: %s. Nothing was done; switch to %s and try again", ErrOtherServer, shown.Name, server)
}

// HistoryKey names in the store what serves now: the repository, or the server that is shown.
func (w *Workspace) HistoryKey() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.open == nil {
		return ""
	}
	return w.open.side.historyKey(w.open.key)
}
