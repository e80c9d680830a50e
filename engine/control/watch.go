package control

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"
)

// HappeningKind is what happened to a model.
type HappeningKind int

// The kinds, in the order of the private protocol.
const (
	Loaded HappeningKind = iota + 1
	Reloaded
	Unloaded
	LoadFailed
	ReloadFailed // what was loaded keeps serving
	// RepositoryTrouble and RepositoryBack concern no single model.
	RepositoryTrouble
	RepositoryBack
	InstanceDied    // Conch starts it again
	InstanceRevived // it runs again
)

// Happening is an event that people want to read about.
type Happening struct {
	Kind    HappeningKind
	Time    time.Time
	Model   string
	Version int64
	Reason  string
	// Imports are the files outside of the model's folder whose change has led to it.
	Imports []string
	Took    time.Duration
}

func (h Happening) level() slog.Level {
	if h.Kind == RepositoryTrouble {
		return slog.LevelError
	}
	return slog.LevelInfo
}

// hub tells watchers which models changed. It never waits for them. A slow watcher gets merged
// changes, and only the newest happenings.
type hub struct {
	mu       sync.Mutex // guards what follows
	watchers map[*Watcher]bool
}

func newHub() *hub { return &hub{watchers: map[*Watcher]bool{}} }

// Watcher collects changes until they are taken. Close it.
type Watcher struct {
	hub    *hub
	signal chan struct{}

	mu         sync.Mutex // guards what follows
	models     map[string]bool
	server     bool
	happenings []Happening
}

// Changes are the changes since the last call of Next.
type Changes struct {
	Server     bool // something about the server as a whole
	Models     []string
	Happenings []Happening
}

// keptHappenings is how many happenings are kept for a slow watcher; older ones are dropped.
const keptHappenings = 256

// watch begins to collect changes.
func (h *hub) watch() *Watcher {
	w := &Watcher{hub: h, signal: make(chan struct{}, 1), models: map[string]bool{}}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.watchers[w] = true
	return w
}

// Close stops collecting changes.
func (w *Watcher) Close() {
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	delete(w.hub.watchers, w)
}

// Next waits for changes and returns them.
func (w *Watcher) Next(ctx context.Context) (Changes, error) {
	select {
	case <-w.signal:
	case <-ctx.Done():
		return Changes{}, ctx.Err()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	c := Changes{Server: w.server, Models: slices.Sorted(maps.Keys(w.models)), Happenings: w.happenings}
	w.server, w.happenings = false, nil
	clear(w.models)
	return c, nil
}

func (w *Watcher) add(note func()) {
	w.mu.Lock()
	note()
	w.mu.Unlock()
	select {
	case w.signal <- struct{}{}:
	default:
	}
}

func (h *hub) each(note func(w *Watcher)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for w := range h.watchers {
		w.add(func() { note(w) })
	}
}

func (h *hub) changed(names ...string) {
	h.each(func(w *Watcher) {
		for _, name := range names {
			w.models[name] = true
		}
	})
}

func (h *hub) serverChanged() { h.each(func(w *Watcher) { w.server = true }) }

func (h *hub) happened(what Happening) {
	h.each(func(w *Watcher) {
		w.happenings = append(w.happenings, what)
		if extra := len(w.happenings) - keptHappenings; extra > 0 {
			w.happenings = slices.Delete(w.happenings, 0, extra)
		}
	})
}
