package enginehost

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"conch/engine/kserve/enginepb"
	"conch/engine/kserve/kservepb"
)

// loadsAtOnce is how many loads run at the same time. The engine has a limit of its own, too.
const loadsAtOnce = 8

// planAgain is the wait before an engine that could not list its repository is asked again.
const planAgain = 200 * time.Millisecond

// wanted notes what is loaded, from the engine's events, to load it again after a restart.
type wanted struct {
	mu      sync.Mutex
	models  map[string]*enginepb.Model // of this run
	planned bool                       // whether pending was ever made; the first run loads everything
	pending map[string]bool            // models to load in this run, or in the next; whether each served before
	trying  map[string]bool            // loads without an answer yet; events may come too late
	// answered are loads whose events have not arrived yet, and may never arrive; whether each
	// succeeded.
	answered map[string]bool
}

// note handles one event.
func (w *wanted) note(e *enginepb.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.models == nil || e.Reset_ {
		w.models = map[string]*enginepb.Model{}
	}
	for _, m := range e.Models {
		w.models[m.Name] = m
		if isLoaded(m) || m.LoadError != "" {
			delete(w.answered, m.Name)
		}
	}
	for _, name := range e.Removed {
		delete(w.models, name)
	}
	if h := e.Happening; h.GetKind() == enginepb.Happening_KIND_UNLOADED {
		delete(w.answered, h.Model) // the model is not wanted now, whatever was answered before
	}
}

// noteDeath makes what was loaded the models to load. Models that were being loaded are wanted too,
// unless models were loaded one by one: then such a model ended the engine, and is dropped. An ensemble that
// does not serve because the user unloaded one of its models is left out: its load would bring that model back.
func (w *wanted) noteDeath(oneByOne bool) (dropped []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	withoutEnsemble := false
	for name, m := range w.models {
		switch {
		case m.PartUnloaded:
			withoutEnsemble = true
		case hasVersion(m, enginepb.State_STATE_LOADING) || isLoaded(m) || m.LoadError != "":
			w.pending[name] = isLoaded(m)
		}
	}
	for name, m := range w.models {
		if withoutEnsemble && hasVersion(m, enginepb.State_STATE_READY) {
			w.pending[name] = true // no ensemble may bring it
		}
	}
	maps.Copy(w.pending, w.answered)
	if oneByOne {
		dropped = slices.Collect(maps.Keys(w.trying))
		maps.DeleteFunc(w.pending, func(name string, _ bool) bool { return w.trying[name] })
	}
	w.models, w.trying, w.answered = nil, nil, nil
	slices.Sort(dropped)
	return dropped
}

// isLoaded reports whether a person, or the workbench for a person, had it loaded. A model that was
// loaded only as a part of an ensemble is loaded with the ensemble again.
func isLoaded(m *enginepb.Model) bool {
	return m.LoadedExplicitly && hasVersion(m, enginepb.State_STATE_READY)
}

func hasVersion(m *enginepb.Model, state enginepb.State) bool {
	return slices.ContainsFunc(m.Versions, func(v *enginepb.Version) bool { return v.State == state })
}

// load loads what is wanted. It ignores failures: the engine's events report them.
func (w *wanted) load(ctx context.Context, client *client, oneByOne bool) {
	names := w.toLoad(ctx, client)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(loadsAtOnce)
	if oneByOne {
		group.SetLimit(1)
	}
	for _, name := range names {
		group.Go(func() error { return w.loadOne(ctx, client, name) })
	}
	_ = group.Wait()
}

// loadOne removes a model from the list once the engine has answered. An error means that the engine
// has ended.
func (w *wanted) loadOne(ctx context.Context, client *client, name string) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	w.setTrying(name)
	_, err := client.kserve.RepositoryModelLoad(ctx, &kservepb.RepositoryModelLoadRequest{ModelName: name})
	code := status.Code(err)
	switch code {
	// The engine also gives these answers when a person stops the load, and when memory is too small
	// for the model.
	case codes.Canceled, codes.Unavailable:
		if _, gone := client.kserve.ServerLive(ctx, &kservepb.ServerLiveRequest{}); gone != nil {
			return fmt.Errorf("load %s: %w", name, err)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.trying, name)
	delete(w.pending, name)
	if code == codes.Canceled {
		return nil // it was stopped, so it is not wanted after a restart either
	}
	if m := w.models[name]; m == nil || !isLoaded(m) && m.LoadError == "" {
		if w.answered == nil {
			w.answered = map[string]bool{}
		}
		w.answered[name] = err == nil
	}
	return nil
}

func (w *wanted) setTrying(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.trying == nil {
		w.trying = map[string]bool{}
	}
	w.trying[name] = true
}

// toLoad lists what to load: all models in the first run, later those that were loaded.
func (w *wanted) toLoad(ctx context.Context, client *client) []string {
	w.mu.Lock()
	planned := w.planned
	w.mu.Unlock()
	var index *kservepb.RepositoryIndexResponse
	for !planned {
		var err error
		if index, err = client.kserve.RepositoryIndex(ctx, &kservepb.RepositoryIndexRequest{}); err == nil {
			break
		}
		if wait(ctx, planAgain) != nil {
			return nil
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.planned = true
	for _, m := range index.GetModels() {
		w.pending[m.Name] = false
	}
	return slices.SortedFunc(maps.Keys(w.pending), w.compare)
}

// compare puts first the models that served before.
func (w *wanted) compare(a, b string) int {
	if served := w.pending[a]; served != w.pending[b] {
		if served {
			return -1
		}
		return 1
	}
	return strings.Compare(a, b)
}
