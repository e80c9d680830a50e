package workspace

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"conch/app/enginehost"
	"conch/app/language"
	"conch/engine/kserve/enginepb"
	"conch/engine/kserve/kservepb"
)

// Engine serves models: Conch's own engine on this machine, or a server elsewhere. It tells what changes
// as enginehost.Updates.
type Engine interface {
	// Client calls Triton's protocol. Its error wraps enginehost.ErrNotReady and says why there is none.
	Client() (kservepb.GRPCInferenceServiceClient, error)
	// Sample returns the counters of all models, and what these models hold of the memory where that is
	// known. The counters begin at zero with the process, or when the server is attached.
	Sample(ctx context.Context, memoryOf []string) (*enginepb.SampleResponse, error)
	Close() error
}

// Insider is an Engine that tells and does more than Triton's protocol has: Conch's own.
type Insider interface {
	// Private calls Conch's own protocol. It fails as Client does.
	Private() (enginepb.EngineClient, error)
	// LogLines returns the newest log lines, oldest first, of one model or of all.
	LogLines(model string, limit int) []enginehost.Line
	// Restart ends the process in any state, and starts another.
	Restart()
	// Resend has it tell the state of everything again.
	Resend()
}

// Retrier is an Engine that waits before it tries again to reach a server.
type Retrier interface {
	// Retry tries at once.
	Retry()
}

// ErrUntold is the error of calls for what only Conch's own engine can tell or do.
var ErrUntold = errors.New("a remote server does not tell or do this")

// side is one of the engines that an open repository can be shown with.
type side struct {
	remote *Remote // nil for the engine of this machine
	// Workspace.mu guards the rest.
	engine   Engine // nil until it was started, and after a failed start
	leave    context.CancelFunc
	status   enginehost.Status // the newest
	since    time.Time         // when this process answered first
	restored bool              // it has loaded what a start loads
	metrics  enginehost.Metrics
	requests sync.WaitGroup // that are under way
}

func (d *side) isRemote() bool { return d.remote != nil }

// note keeps what is needed to show this side later.
func (d *side) note(u enginehost.Update) {
	d.restored = d.restored || u.Restored
	if u.Status == nil {
		return
	}
	switch before := d.status; {
	case u.Status.State == enginehost.Restarting, u.Status.State == enginehost.Stopped:
		d.restored = false
	case u.Status.State == enginehost.Ready && before.State != enginehost.Silent:
		d.since = time.Now()
	}
	d.status = *u.Status
}

// historyKey names what this side does in the store, for a repository of this name.
func (d *side) historyKey(repository string) string {
	if d.isRemote() {
		return RemoteKey(d.remote.Name)
	}
	return repository
}

// startLocal starts the engine of this machine.
func (s *openRepository) startLocal() {
	local := s.local
	engine, err := s.w.opts.StartEngine(s.roots, func(u enginehost.Update) { s.engineUpdate(local, u) })
	if err != nil {
		s.engineUpdate(local, enginehost.Update{Status: &enginehost.Status{State: enginehost.Stopped, Reason: err.Error()}})
		return
	}
	s.follows(local, engine)
}

// follows notes what a side calls, and begins to measure it.
func (s *openRepository) follows(d *side, engine Engine) {
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	var ctx context.Context
	ctx, d.leave = context.WithCancel(s.ctx)
	d.engine = engine
	s.wg.Go(func() { s.sample(ctx, d, engine) })
}

// end closes the engine of a side.
func (s *openRepository) end(d *side) {
	d.leave()
	if err := d.engine.Close(); err != nil {
		s.w.opts.Log.Warn("the engine did not end well", "error", err)
	}
}

// endAfterRequests ends a server that is not shown any more as soon as no request is under way there, and at once where the program
// ends.
func (s *openRepository) endAfterRequests(d *side) {
	d.leave()
	answered := make(chan struct{})
	go func() {
		d.requests.Wait()
		close(answered)
	}()
	s.w.left.Go(func() {
		select {
		case <-answered:
		case <-s.w.ctx.Done():
		}
		s.end(d)
	})
}

// Held is the connection of a request: it stays until Release is called, also when another server is shown meanwhile.
type Held struct {
	Client     kservepb.GRPCInferenceServiceClient
	Key        string // names in the store what serves
	Repository string // the ID of the one that was open when the request began
	Release    func()
	of         *side
	in         *openRepository
	// What was known when the request began.
	disk, served *language.Analysis
	models       map[string]*enginepb.Model // guarded by Workspace.mu
}

// Find returns a model as it was when the request began: that of the repository, else what the server tells of it.
func (h *Held) Find(name string) (*language.Model, bool) {
	if m, ok := h.disk.Find(name); ok {
		return m, true
	}
	return h.served.Find(name)
}

// Told lists the models that the server tells of; false for the engine of this machine, which has those of the repository.
func (h *Held) Told() ([]string, bool) {
	h.in.w.mu.Lock()
	defer h.in.w.mu.Unlock()
	return sortedKeys(h.models), h.of.isRemote()
}

// LostAnswer says why no answer came, where the connection ended before one, or before the last of several.
func (h *Held) LostAnswer(answers uint64) string {
	before := "before it answered"
	if answers > 0 {
		before = "before its last answer"
	}
	if h.of.isRemote() {
		return h.of.remote.Name + " ended the connection " + before + ". It may have ended, or something on the way to it."
	}
	return "The engine ended " + before + ". Conch starts it again, unless it ends again and again; the notices say why it ended."
}

// GaveUp says why no answer came, where the request was given up by what ends, and not by a person.
func (h *Held) GaveUp() string {
	if h.of.isRemote() {
		return "The request was given up before " + h.of.remote.Name + " answered: the server ends, or Conch left it."
	}
	return "The engine was stopped before it answered."
}

// Hold returns the connection to what serves now, for a request.
func (u *Stay) Hold() (*Held, error) {
	held, engine, err := u.s.holdShown()
	if err != nil {
		return nil, err
	}
	if held.Client, err = engine.Client(); err != nil {
		held.Release()
		return nil, err
	}
	return held, nil
}

// holdShown counts a request of the side that is shown, and returns its engine.
func (s *openRepository) holdShown() (*Held, Engine, error) {
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	engine, err := s.shownEngine()
	if err != nil {
		return nil, nil, err
	}
	d := s.side
	d.requests.Add(1)
	return &Held{
		Key: d.historyKey(s.key), Repository: s.id, Release: d.requests.Done, of: d, in: s,
		disk: s.disk, served: s.served, models: s.running.models,
	}, engine, nil
}

// closeSides ends the engine of this machine and waits for it; a server ends after its requests.
func (s *openRepository) closeSides() {
	s.w.mu.Lock()
	sides := []*side{s.local}
	if s.side != s.local {
		sides = append(sides, s.side)
	}
	s.w.mu.Unlock()
	for _, d := range sides {
		switch {
		case d.engine == nil:
		case d.isRemote():
			s.endAfterRequests(d)
		default:
			s.end(d)
		}
	}
}

// engine returns what serves now.
func (s *openRepository) engine() (Engine, error) {
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	return s.shownEngine()
}

// shownEngine needs Workspace.mu.
func (s *openRepository) shownEngine() (Engine, error) {
	if s.side.engine == nil {
		return nil, fmt.Errorf("%w. %s", enginehost.ErrNotReady, s.running.status.Reason)
	}
	return s.side.engine, nil
}

func (s *openRepository) client() (kservepb.GRPCInferenceServiceClient, error) {
	engine, err := s.engine()
	if err != nil {
		return nil, err
	}
	return engine.Client()
}

// private returns a client of Conch's own protocol. what says in the error what it is needed for.
func (s *openRepository) private(what string) (enginepb.EngineClient, error) {
	engine, err := s.engine()
	if err != nil {
		return nil, err
	}
	insider, ok := engine.(Insider)
	if !ok {
		return nil, fmt.Errorf("%w: %s. The engine of this machine does", ErrUntold, what)
	}
	return insider.Private()
}

// ownEngine returns a client of the engine of this machine, whatever is shown.
func (s *openRepository) ownEngine() (enginepb.EngineClient, error) {
	s.w.mu.Lock()
	insider, ok := s.local.engine.(Insider)
	s.w.mu.Unlock()
	if !ok {
		return nil, enginehost.ErrNotReady
	}
	return insider.Private()
}

// used returns the open repository.
func (w *Workspace) used() (*openRepository, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.open == nil {
		return nil, ErrNothingOpen
	}
	return w.open, nil
}

// Client returns a client of what serves, if it can be called.
func (w *Workspace) Client() (kservepb.GRPCInferenceServiceClient, error) {
	s, err := w.used()
	if err != nil {
		return nil, err
	}
	return s.client()
}

// Private returns a client of what only Conch's own engine tells and does. While a remote server is
// shown, the error wraps ErrUntold and says what cannot be had.
func (w *Workspace) Private(what string) (enginepb.EngineClient, error) {
	s, err := w.used()
	if err != nil {
		return nil, err
	}
	return s.private(what)
}

// RestartEngine restarts the engine. A server elsewhere is not restarted: it is tried at once again.
func (w *Workspace) RestartEngine() error {
	s, err := w.used()
	if err != nil {
		return err
	}
	engine, err := s.engine()
	if err != nil {
		return fmt.Errorf("%w Open the repository again", err)
	}
	switch engine := engine.(type) {
	case Insider:
		engine.Restart()
	case Retrier:
		engine.Retry()
	}
	return nil
}

// LogLines returns the engine's newest log lines, of one model or of all; none of a remote server.
func (w *Workspace) LogLines(model string, limit int) []enginehost.Line {
	s, err := w.used()
	if err != nil {
		return nil
	}
	engine, _ := s.engine()
	if insider, ok := engine.(Insider); ok {
		return insider.LogLines(model, limit)
	}
	return nil
}
