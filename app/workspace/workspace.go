package workspace

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"conch/app/api"
	"conch/app/enginehost"
	"conch/app/language"
	"conch/app/overlay"
	"conch/app/recovery"
	"conch/app/store"
	"conch/configedit/folder"
	"conch/engine/completed"
	"conch/repo"
	"conch/repo/write"
)

// Options say where the facts come from. Store, Recovery and StartEngine are required.
type Options struct {
	Store       *store.Store
	Recovery    *recovery.Files
	StartEngine func(roots []string, up func(enginehost.Update)) (Engine, error)
	// Remotes are the servers elsewhere; nil for none.
	Remotes    Remotes
	Repository repo.Options
	// Claim takes a repository for this workbench until release is called. It fails with who has it.
	// Nil means that any number of workbenches may have it.
	Claim func(roots []string) (release func(), err error)
	// ReadFile reads a text of the repository; nil is write.Read.
	ReadFile func(path string) ([]byte, write.Version, error)
	Home     string // shown as ~
	// Answers has what Python programs answered when the engine ran them; nil for nothing.
	Answers *completed.Store
	// Trusted are the repositories whose code runs without a question.
	Trusted []string
	Log     *slog.Logger
	Now     func() time.Time
}

// Workspace is the open repository, and what outlives it.
type Workspace struct {
	opts Options
	run  string // see Run
	// drafts are the unsaved texts, and keeper writes them to the store.
	drafts *overlay.Overlay
	keeper *overlay.Keeper

	// openMu lets one repository be opened or closed at a time.
	openMu sync.Mutex
	open   *openRepository // nil when nothing is open; written under both locks

	// ctx ends with the workspace, and left are servers that are not shown any more while requests are under way there.
	ctx  context.Context
	stop context.CancelFunc
	left sync.WaitGroup

	// accessMu lets one change of what is permitted run at a time.
	accessMu sync.Mutex

	// mu guards the snapshot and its subscribers.
	mu    sync.Mutex
	world world
	subs  map[*Subscription]bool
	// untold are notices that came while there was no subscriber.
	untold []*api.Notice
	// keeping is the state of keeping unsaved texts, where people should know it.
	keeping keeping
	// unwritten is the notice that history is not being written; nil while it is.
	unwritten *api.Notice
}

// New returns a workspace with nothing open.
func New(opts Options) *Workspace {
	if opts.Log == nil {
		opts.Log = slog.Default()
	}
	if opts.ReadFile == nil {
		opts.ReadFile = write.Read
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	w := &Workspace{opts: opts, subs: map[*Subscription]bool{}}
	w.ctx, w.stop = context.WithCancel(context.Background())
	w.run = runName(opts.Now())
	w.drafts = overlay.New(overlay.Usual, opts.Now)
	w.keeper = overlay.Keep(w.drafts, shelf{opts.Store}, opts.Recovery, overlay.Told{Kept: w.noteKept, Late: w.restoreLate})
	opts.Store.OnReplace(w.drafts.Rewrite)
	w.world = w.emptyWorld(hindrance{sentence: nothingOpen})
	return w
}

const nothingOpen = "No repository is open. Open a folder that holds Triton models, each in a folder of its own."

// ErrNothingOpen is the error of calls that need a repository.
var ErrNothingOpen = errors.New("no repository is open")

// Open closes what is open and opens these folders as one repository. After a folder that cannot be
// opened nothing is open; the snapshot has the words of the error. A repository of another workbench
// is not opened, and what is open here stays open.
func (w *Workspace) Open(ctx context.Context, paths []string) error {
	roots, err := w.absolute(paths)
	if err != nil {
		return err
	}
	w.openMu.Lock()
	defer w.openMu.Unlock()
	release, err := w.claim(roots)
	if err != nil {
		return err
	}
	shown := w.remoteShown()
	w.closeOpen()
	s, err := w.openRoots(roots)
	if err != nil {
		release()
		fresh := w.emptyWorld(explain(err))
		fresh.repository.Wanted = textOf(roots)
		w.reset(nil, fresh)
		return err
	}
	s.release = release
	s.restore(ctx)
	if err := w.opts.Store.AddVisit(ctx, s.key, roots); err != nil {
		w.opts.Log.Warn("the repository could not be added to the recent ones", "error", err)
	}
	for _, root := range roots {
		if s.trouble.suggestion != "" {
			break // it is not a repository, and another folder is named in its place
		}
		if err := w.opts.Store.AddRecent(ctx, root); err != nil {
			w.opts.Log.Warn("the last repository could not be stored", "error", err)
		}
	}
	if shown == nil {
		s.run()
		return nil
	}
	s.side = &side{remote: shown} // so that no engine is started here
	s.run()
	return s.attach(*shown)
}

// claim needs openMu. Where nothing is open the snapshot says who has the repository.
func (w *Workspace) claim(roots []string) (release func(), err error) {
	if w.opts.Claim == nil {
		return func() {}, nil
	}
	release, err = w.opts.Claim(roots)
	if err != nil && w.Key() == "" {
		w.reset(nil, w.emptyWorld(explain(err)))
	}
	return release, err
}

// Path returns the path that a person means: ~ is the home folder.
func (w *Workspace) Path(typed string) string {
	if rest, ok := strings.CutPrefix(typed, "~"); ok && w.opts.Home != "" && (rest == "" || rest[0] == '/') {
		typed = filepath.Join(w.opts.Home, rest)
	}
	if _, err := os.Lstat(typed); err == nil {
		return typed
	}
	return folder.Raw(typed) // as it was shown
}

func (w *Workspace) absolute(paths []string) ([]string, error) {
	roots := make([]string, 0, len(paths))
	for _, p := range paths {
		abs, err := filepath.Abs(w.Path(p))
		if err != nil {
			return nil, fmt.Errorf("find %s: %w", p, err)
		}
		roots = append(roots, abs)
	}
	return roots, nil
}

// Close closes what is open and waits for everything that was started, except for work that waits for
// a disk that does not answer. It tries for a few seconds to keep unsaved texts that no place takes. A
// LostError names those that are lost, and a ShortLivedError those that are kept for a short time only.
func (w *Workspace) Close() error {
	shortLived := w.settleDrafts() // first: people can still help, and another call may be opening a repository whose disk hangs
	w.openMu.Lock()
	defer w.openMu.Unlock()
	w.stop()
	w.closeOpen()
	w.left.Wait()
	w.reset(nil, w.emptyWorld(hindrance{sentence: nothingOpen}))
	return errors.Join(w.lost(w.keeper.Close()), shortLived)
}

// closeOpen needs openMu.
func (w *Workspace) closeOpen() {
	if w.open != nil {
		w.open.close()
	}
}

// Analysis returns the analysis of the open repository's configs, with unsaved texts.
func (w *Workspace) Analysis() (*language.Analysis, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.open == nil {
		return nil, ErrNothingOpen
	}
	return w.open.analysis, nil
}

// OnDisk returns the analysis of the configs as they are saved.
func (w *Workspace) OnDisk() (*language.Analysis, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.open == nil {
		return nil, ErrNothingOpen
	}
	return w.open.disk, nil
}

// Key returns the open repository's name in the store; "" when nothing is open.
func (w *Workspace) Key() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.key()
}

// key needs mu.
func (w *Workspace) key() string {
	if w.open == nil {
		return ""
	}
	return w.open.key
}

// KeyOf returns the name in the store of repositories that are opened together.
func KeyOf(roots []string) string { return strings.Join(roots, "\n") }

// Model returns the newest summary of a model. It is never changed.
func (w *Workspace) Model(name string) (*api.ModelSummary, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	m, ok := w.world.models[name]
	return m, ok
}

// Engine returns the newest state of the engine. It is never changed.
func (w *Workspace) Engine() *api.Engine {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.world.engine
}

// Repository returns the newest state of the repository. It is never changed.
func (w *Workspace) Repository() *api.Repository {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.world.repository
}

// Problems lists the diagnostics of one model, or of all and of the repository itself when model is "", and the number of their
// snapshot.
func (w *Workspace) Problems(model string) (seq uint64, list []*api.FileProblems) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, name := range sortedKeys(w.world.problems) {
		if model == "" || model == name {
			list = append(list, w.world.problems[name]...)
		}
	}
	return w.world.seq, list
}
