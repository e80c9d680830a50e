package python

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"conch/engine/backend"
	"conch/engine/backend/python/environments"
	"conch/engine/guarded"
	"conch/engine/infer"
	"conch/engine/userdir"
)

const (
	// installKey is the setting of --backend-config=python that lets loads install packages.
	installKey = "install"
	// listName is the file that lists the packages of a model, in its folder or in the folder of a version.
	listName = "requirements.txt"
)

// installing is what could be installed for models, and what was.
type installing struct {
	always  bool
	models  *environments.Store                     // of requirements.txt
	own     *environments.Store                     // of what backends need
	offers  guarded.Value[map[string]backend.Offer] // by the model's folder
	allowed guarded.Value[map[string]bool]          // offers
	open    guarded.Value[map[string]int]           // models that are loaded, by the folder of their environment
}

func newInstalling(o Options) *installing {
	models := filepath.Join(orTemporary(o.Dir), "environments")
	own := o.OwnDir
	if own == "" {
		own = filepath.Join(orTemporary(o.Dir), "own-environments")
	}
	return &installing{
		always: o.Install,
		models: &environments.Store{Dir: models, Run: runUntil},
		own:    &environments.Store{Dir: own, Run: runUntil},
	}
}

// orTemporary returns a folder, or one of this user alone in the folder for temporary files.
func orTemporary(dir string) string {
	if dir != "" {
		return dir
	}
	return userdir.Alone("conch-python")
}

// listed returns the folder of the environment of a model's requirements.txt; "" when it has none, or when it is not installed and may not be.
// Triton does not read this file, so that the model may run without it.
func (b *Backend) listed(ctx context.Context, spec backend.Spec) (string, error) {
	file, err := listOf(spec)
	if err != nil || file == "" {
		return "", err
	}
	usual, err := b.usual()
	if err != nil {
		return "", infer.Errorf(infer.Unavailable, "model '%s' needs Python: %v", spec.Name, err)
	}
	list, err := environments.Read(file)
	if err != nil {
		return "", infer.Errorf(infer.InvalidArg, "model '%s': its list of packages cannot be read: %v", spec.Name, err)
	}
	wanted := environments.Wanted{Interpreter: usual, Requirements: list.With(b.packages(spec)...), For: "model '" + spec.Name + "'"}
	found, err := b.install.environment(ctx, spec, b.install.models, wanted, backend.Offer{From: listName})
	switch {
	case err != nil && ctx.Err() != nil:
		return "", infer.Errorf(infer.Cancelled, "load of model '%s' was cancelled", spec.Name)
	case err != nil:
		return "", infer.Errorf(infer.Unavailable, "model '%s': the packages of its %s could not be installed: %v", spec.Name, listName, err)
	case found == nil:
		spec.Log.Warn("the packages of the model's " + listName + " are not installed, and the model runs without them")
		return "", nil
	}
	return found.Dir, nil
}

// listOf returns the list of packages of a version; "" for none.
func listOf(spec backend.Spec) (string, error) {
	for _, dir := range []string{spec.VersionDir, spec.ModelDir} {
		file := filepath.Join(dir, listName)
		if _, err := os.Stat(file); err == nil {
			return file, nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return "", infer.Errorf(infer.Internal, "model '%s': %v", spec.Name, err)
		}
	}
	return "", nil
}

// environment returns an environment, which it makes if that is allowed. Where it is not, the environment is offered, and nil. what says
// who asks for it.
func (i *installing) environment(
	ctx context.Context, spec backend.Spec, in *environments.Store, wanted environments.Wanted, what backend.Offer,
) (*environments.Environment, error) {
	id, err := in.ID(ctx, wanted)
	if err != nil {
		return nil, err
	}
	if e, there := in.Find(id); there {
		return &e, nil
	}
	what.ID, what.Packages = id, wanted.Requirements.Lines()
	if !i.mayInstall(id) {
		i.offer(spec.ModelDir, what)
		return nil, nil
	}
	e, err := in.Make(ctx, id, wanted, spec.Tell, spec.Log)
	if err != nil {
		i.offer(spec.ModelDir, what)
		return nil, err
	}
	return &e, nil
}

func (i *installing) mayInstall(id string) bool {
	allowed := i.allowed.Lock()
	defer i.allowed.Unlock()
	return i.always || (*allowed)[id]
}

func (i *installing) offer(dir string, o backend.Offer) {
	offers := i.offers.Lock()
	defer i.offers.Unlock()
	if *offers == nil {
		*offers = map[string]backend.Offer{}
	}
	(*offers)[dir] = o
}

// offered reports whether something could be installed for the model in a folder.
func (i *installing) offered(dir string) bool {
	offers := i.offers.Lock()
	defer i.offers.Unlock()
	_, ok := (*offers)[dir]
	return ok
}

// notInstalled adds to the error of a load that a module may be missing because the packages of the model are not installed.
func (l launch) notInstalled(err error) error {
	if !l.without || !strings.Contains(err.Error(), "ModuleNotFoundError") && !strings.Contains(err.Error(), "ImportError") {
		return err
	}
	return infer.Errorf(infer.CodeOf(err), "%v\nThe packages of the model's %s are not installed: press Install on the model's page, or start `conch serve` with "+
		"--backend-config=python,%s=true.", err, listName, installKey)
}

func (i *installing) forget(dir string) {
	offers := i.offers.Lock()
	defer i.offers.Unlock()
	delete(*offers, dir)
}

// Offer returns what could be installed for the model in a folder.
func (b *Backend) Offer(modelDir string) *backend.Offer {
	offers := b.install.offers.Lock()
	defer b.install.offers.Unlock()
	if o, ok := (*offers)[modelDir]; ok {
		return &o
	}
	return nil
}

// Allow lets loads install what an offer names.
func (b *Backend) Allow(offer string) {
	allowed := b.install.allowed.Lock()
	defer b.install.allowed.Unlock()
	if *allowed == nil {
		*allowed = map[string]bool{}
	}
	(*allowed)[offer] = true
}

// stores are where environments are.
func (i *installing) stores() []*environments.Store { return []*environments.Store{i.own, i.models} }

// Environments returns what was installed.
func (b *Backend) Environments() (list []backend.Environment) {
	for _, store := range b.install.stores() {
		for _, e := range store.List() {
			b.install.release(store, e.ID)
			list = append(list, backend.Environment{
				ID: e.ID, For: e.For, Python: e.Python, Dir: e.Dir, Packages: e.Packages, Bytes: e.Bytes, Made: e.Made, Used: e.Used, InUse: e.InUse(),
			})
		}
	}
	return list
}

// RemoveEnvironment removes an environment that no process uses.
func (b *Backend) RemoveEnvironment(ctx context.Context, id string) error {
	for _, store := range b.install.stores() {
		b.install.release(store, id)
		err := store.Remove(ctx, id)
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return fmt.Errorf("there is no environment '%s' any more", id)
}

// opened notes that a model is loaded that uses an environment.
func (i *installing) opened(dir string) {
	open := i.open.Lock()
	defer i.open.Unlock()
	if *open == nil {
		*open = map[string]int{}
	}
	(*open)[dir]++
	for _, store := range i.stores() {
		if filepath.Dir(dir) == store.Dir {
			store.Find(filepath.Base(dir))
		}
	}
}

// closed notes that such a model is loaded no more.
func (i *installing) closed(dir string) {
	open := i.open.Lock()
	defer i.open.Unlock()
	if (*open)[dir]--; (*open)[dir] <= 0 {
		delete(*open, dir)
	}
}

// release ends the use of an environment by this process, unless a model uses it.
func (i *installing) release(store *environments.Store, id string) {
	open := i.open.Lock()
	defer i.open.Unlock()
	if (*open)[filepath.Join(store.Dir, id)] == 0 {
		store.Release(id)
	}
}

func (i *installing) close() {
	for _, store := range i.stores() {
		store.Close()
	}
}

// runUntil runs a command, in a group of its own, until it or ctx ends. What it has started ends with it.
func runUntil(ctx context.Context, cmd *exec.Cmd) error {
	cmd.SysProcAttr = ownGroup()
	cmd.WaitDelay = outputPatience
	if err := onSpawner(cmd.Start); err != nil {
		return err
	}
	exited := make(chan struct{})
	go func() {
		untilExit(cmd.Process.Pid, func() {})
		close(exited)
	}()
	select {
	case <-exited:
	case <-ctx.Done():
	}
	killGroup(cmd.Process.Pid)
	<-exited
	return errors.Join(cmd.Wait(), ctx.Err())
}
