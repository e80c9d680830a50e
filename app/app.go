package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"time"

	"conch/app/api"
	"conch/app/enginehost"
	"conch/app/recovery"
	"conch/app/rpc"
	"conch/app/runtimecmd"
	"conch/app/servers"
	"conch/app/single"
	"conch/app/store"
	"conch/app/trial"
	"conch/app/upload"
	"conch/app/userfile"
	"conch/app/workspace"
	"conch/engine/completed"
	"conch/engine/userdir"
)

// Options say what to open. The zero value opens nothing, and keeps history in the usual place.
type Options struct {
	// Repositories are the folders to open, together, as one repository.
	Repositories []string
	// Last opens the repository that was open last when Repositories names none.
	Last bool
	// Examples are the example models; nil when there are none.
	Examples fs.FS
	// Attach is a server to show at the start: its name, or its address; "" for the engine of this machine.
	Attach string
	// Trust says that the code of Repositories may run without a question. An answer that was given in the window counts more.
	Trust bool
	// ViewFirst has the engine wait until a page has drawn its first view, five seconds at most.
	ViewFirst bool
	// Kind is how the workbench is shown. A second start on the same repository shows the first one
	// instead. "" lets both run.
	Kind single.Kind
	// DataDir is the folder for history and settings; userdir.Data when empty.
	DataDir string
	// EngineCommand is the program and first arguments of the engine; this executable and "serve" when empty.
	EngineCommand []string
	// Ports are the engine's public ports.
	Ports enginehost.Ports
	Log   *slog.Logger
}

// App is a running workbench.
type App struct {
	store     *store.Store
	recovery  *recovery.Files
	keeper    *single.Keeper
	workspace *workspace.Workspace
	server    *rpc.Server
	servers   *servers.List
	handler   http.Handler
	view      *firstView // nil when the engine does not wait for it
	dataDir   string
	temporary *userfile.Scratch // a place for the history when it cannot be kept; removed at the end
}

// New starts a workbench. A repository that cannot be opened is not an error: the workbench shows why.
func New(ctx context.Context, opts Options) (*App, error) {
	if opts.Log == nil {
		opts.Log = slog.Default()
	}
	a := &App{}
	if opts.ViewFirst {
		a.view = awaitView()
	}
	trouble, err := a.openStore(ctx, opts)
	if err != nil {
		return nil, err
	}
	a.recovery = recovery.Open(recovery.Options{Dir: a.dataDir, Log: opts.Log})
	a.keeper = single.NewKeeper(a.dataDir, opts.Kind)
	a.servers = servers.Open(a.store, a.ownDir())
	home, _ := os.UserHomeDir()
	a.workspace = workspace.New(workspace.Options{
		Store:    a.store,
		Recovery: a.recovery,
		Home:     home,
		Answers:  completed.Usual(),
		Log:      opts.Log,
		Trusted:  a.trusted(opts),
		Remotes:  remotes{a.servers},
		Claim:    func(roots []string) (func(), error) { return a.claim(roots, opts) },
		StartEngine: func(roots []string, up func(enginehost.Update)) (workspace.Engine, error) {
			return enginehost.Start(enginehost.Options{
				Command: opts.EngineCommand, Repositories: roots, Ports: opts.Ports, Log: opts.Log, After: a.view.drawn(),
				Reload:      func() map[string]string { return a.reload(roots, opts.Log) },
				Access:      func() enginehost.Access { return a.access(roots) },
				Accelerator: func() string { return a.accelerator(opts.Log) },
			}, up)
		},
	})
	var program runtimecmd.Program
	if len(opts.EngineCommand) > 0 {
		program = runtimecmd.Program(opts.EngineCommand[0])
	}
	a.server = &rpc.Server{
		Runtimes:  program,
		Trials:    trial.Engines{Command: opts.EngineCommand, Log: opts.Log},
		Workspace: a.workspace, Store: a.store, Servers: a.servers, Log: opts.Log, Now: time.Now, Data: a.ownDir(), Shown: a.view.note,
		Examples: func() (string, error) { return copyExamples(a.dataDir, opts.Examples) },
	}
	a.handler = a.server.Handler()
	a.server.Sweep()
	if err := a.attachFirst(ctx, opts.Attach); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	a.openFirst(ctx, opts)
	a.attachLast(ctx, opts)
	if trouble != "" {
		a.workspace.Notify(api.Notice_LEVEL_WARNING, trouble)
	}
	a.store.Follow(func(trouble string) { a.workspace.NotifyHistory(trouble, a.store.Failing()) })
	return a, nil
}

// openFirst opens the repository of the start. The snapshot says why where that is impossible.
func (a *App) openFirst(ctx context.Context, opts Options) {
	roots := opts.Repositories
	if len(roots) == 0 && opts.Last && opts.Attach == "" {
		var err error
		if roots, err = a.store.LastVisit(ctx); err != nil {
			opts.Log.Warn("the repository that was open last is not known", "error", err)
		}
	}
	if len(roots) == 0 {
		return
	}
	if err := a.workspace.Open(ctx, roots); err != nil {
		opts.Log.Warn("the repository was not opened", "error", err)
		return
	}
	for _, root := range roots {
		if err := upload.Clear(a.server.Data, root); err != nil {
			opts.Log.Warn("unfinished files of new models were not removed", "error", err)
		}
	}
}

// openStore opens the history. Where that is impossible, it opens a temporary one, so that the
// workbench still works.
func (a *App) openStore(ctx context.Context, opts Options) (trouble string, err error) {
	a.dataDir = opts.DataDir
	if a.dataDir == "" {
		a.dataDir = userdir.Data()
	}
	a.store, err = store.Open(ctx, store.Options{Dir: a.dataDir, Log: opts.Log})
	if err == nil {
		return "", nil
	}
	trouble = fmt.Sprintf("History and settings last only until Conch is closed: %v. Unsaved texts are kept in files in %s.", err, a.dataDir)
	if a.temporary, err = store.MakeTemporary(a.dataDir); err != nil {
		return "", err
	}
	if a.store, err = store.Open(ctx, store.Options{Dir: a.temporary.Path(), NoDrafts: true, Log: opts.Log}); err != nil {
		_ = a.temporary.Remove()
		return "", fmt.Errorf("open history: %w", err)
	}
	return trouble, nil
}

// ownDir returns the folder of the workbench's own files: that of the history, also where it is a
// temporary one.
func (a *App) ownDir() string {
	if a.temporary != nil {
		return a.temporary.Path()
	}
	return a.dataDir
}

// Handler answers the API; paths begin with /conch.v1.
func (a *App) Handler() http.Handler { return a.handler }

// Risk returns which unsaved texts would be lost, or kept for a short time only, if the workbench
// ended now.
func (a *App) Risk() workspace.Risk { return a.workspace.Risk() }

// Close ends the engine, writes what is queued, and waits for everything that was started. A
// workspace.LostError names the files whose unsaved texts are lost. A workspace.ShortLivedError names
// those whose texts are kept for a short time only.
func (a *App) Close() error {
	a.view.forget()
	a.keeper.Close() // other starts that ask from now on wait until the repository is free
	lost := a.workspace.Close()
	uploads := a.server.Close()
	err := a.store.Close()
	a.recovery.Close()
	if a.temporary != nil {
		_ = a.temporary.Remove()
	}
	if err != nil {
		err = fmt.Errorf("close history: %w", err)
	}
	return errors.Join(lost, uploads, err)
}

// access returns what is permitted in a repository.
func (a *App) access(roots []string) enginehost.Access {
	set := a.workspace.Access(context.Background(), roots)
	return enginehost.Access{Overrides: set.Overrides, Trusted: set.Trust == store.Trusted, StrictGPU: set.StrictGPU}
}

// acceleratorSetting is the key of Options.Accelerator of the engine host in the settings: JSON, as the window writes its settings.
const acceleratorSetting = "accelerator"

// accelerator returns what the window set.
func (a *App) accelerator(log *slog.Logger) (name string) {
	values, err := a.store.Settings(context.Background())
	if text := values[acceleratorSetting]; err == nil && text != "" {
		err = json.Unmarshal([]byte(text), &name)
	}
	if err != nil {
		log.Warn("ONNX models run on the processor, since it is not known what else was chosen", "error", err)
	}
	return name
}

// reload returns what was set for the models of a repository.
func (a *App) reload(roots []string, log *slog.Logger) map[string]string {
	set, err := a.store.Reload(context.Background(), workspace.KeyOf(roots))
	if err != nil {
		log.Warn("what happens when files change has its initial value again", "error", err)
	}
	return set
}

// windowSetting is the key of the window's place in the settings.
const windowSetting = "window"

// WindowPlace returns what SaveWindowPlace stored last; "" at first.
func (a *App) WindowPlace() string {
	values, err := a.store.Settings(context.Background())
	if err != nil {
		return ""
	}
	return values[windowSetting]
}

// SaveWindowPlace stores where the window was.
func (a *App) SaveWindowPlace(place string) error {
	return a.store.SetSettings(context.Background(), map[string]string{windowSetting: place})
}
