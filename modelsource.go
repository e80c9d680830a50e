package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"conch/configedit/folder"
	"conch/engine/backend"
	"conch/engine/control"
	"conch/engine/serve"
	"conch/repo"
	"conch/repo/layout"
	"conch/repo/scan"
	"conch/repo/watch"
)

// modelSource gives a repository to the engine, which does not know the disk layout. Folders that have
// nothing of a model are left out: Triton would take them for models and fail, as `conch check`
// reports.
type modelSource struct {
	repository *repo.Repository
	variant    string // --model-config-name
	// warn gets warnings about the watching that a person may want to see.
	warn func(text string)

	mu sync.Mutex
	// of is the index that was translated last. listing is its translation.
	of      *scan.Index
	listing *control.Listing
	// found are the translated models, by scanned model. An unchanged model keeps its translation from
	// index to index.
	found map[*scan.Model]control.Found
	// told are the left-out folders that a person was warned about.
	told map[string]bool
}

var _ control.ModelSource = (*modelSource)(nil)

// openModels scans the repositories, and watches them when somebody subscribes.
func openModels(ctx context.Context, o serve.RepositoryOptions, warn func(text string)) (*modelSource, error) {
	repository, err := repo.Open(ctx, o.Roots, repo.Options{Still: !o.Follow})
	if err != nil {
		return nil, err
	}
	return &modelSource{repository: repository, variant: o.ConfigName, warn: warn}, nil
}

// Close stops watching.
func (l *modelSource) Close() error {
	l.repository.Close()
	return nil
}

// Current implements control.ModelSource.
func (l *modelSource) Current() *control.Listing { return l.translate(l.repository.Current()) }

// Refresh implements control.ModelSource.
func (l *modelSource) Refresh(_ context.Context, names ...string) (*control.Listing, error) {
	l.repository.RefreshOutside()
	if len(names) == 0 {
		return l.translate(l.repository.Refresh()), nil
	}
	return l.translate(l.repository.Touch(l.places(names)...)), nil
}

// places lists the folders that models of these names would be in.
func (l *modelSource) places(names []string) []string {
	var places []string
	for _, root := range l.repository.Roots() {
		for _, name := range names {
			if place, err := layout.Inside(root, folder.Raw(name)); err == nil {
				places = append(places, place)
			}
		}
	}
	return places
}

// Subscribe implements control.ModelSource.
func (l *modelSource) Subscribe() (<-chan *control.Listing, func()) {
	updates, cancel := l.repository.Subscribe()
	listings := make(chan *control.Listing)
	stop := make(chan struct{})
	go func() {
		defer close(listings)
		said := watch.Notify
		for index := range updates { // the same index comes again when the way of watching changes
			if status := l.repository.Status(); status.Mode != said {
				said = status.Mode
				l.warn("files are checked for changes once a second, because the system does not report changes: " + status.Why)
			}
			select {
			case listings <- l.translate(index):
			case <-stop:
				return
			}
		}
	}()
	return listings, sync.OnceFunc(func() {
		cancel()
		close(stop)
	})
}

// Watch implements control.ModelSource.
func (l *modelSource) Watch(paths []string) {
	if left := len(paths) - repo.MostOutside; left > 0 {
		l.warn(fmt.Sprintf("models import from %d files outside of their folders; %d of these are not watched", len(paths), left))
	}
	l.repository.WatchOutside(paths)
}

func (l *modelSource) translate(index *scan.Index) *control.Listing {
	listing, leftOut := l.listingOf(index)
	for _, what := range leftOut {
		l.warn(what)
	}
	return listing
}

// listingOf also returns the folders that were left out for the first time. A person must be warned
// about them.
func (l *modelSource) listingOf(index *scan.Index) (_ *control.Listing, leftOut []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of == index {
		return l.listing, nil
	}
	listing := &control.Listing{Seq: index.Seq, Models: make([]control.Found, len(index.Models))}
	told := map[string]bool{}
	kept := make(map[*scan.Model]control.Found, len(index.Models))
	for i, m := range index.Models {
		found, known := l.found[m]
		if !known {
			found = l.translateModel(m)
		}
		for _, p := range m.Problems {
			if p.Code == scan.TooMany && !told[p.What] {
				told[p.What] = true
				if !l.told[p.What] {
					leftOut = append(leftOut, p.What)
				}
			}
		}
		listing.Models[i], kept[m] = found, found
	}
	listing.Roots, listing.Outside = roots(index), looks(index.Outside)
	l.of, l.listing, l.found, l.told = index, listing, kept, told
	return listing, leftOut
}

func looks(glances map[string]scan.Glance) map[string]backend.FileLook {
	out := make(map[string]backend.FileLook, len(glances))
	for path, g := range glances {
		out[path] = backend.FileLook{Size: g.Size, Modified: g.ModTime}
	}
	return out
}

// roots describes the repositories, and says why one cannot be read.
func roots(index *scan.Index) []control.FoundRoot {
	list := make([]control.FoundRoot, len(index.Roots))
	for i, r := range index.Roots {
		list[i] = control.FoundRoot{Path: r.Path, Identity: r.Identity}
		for _, p := range index.Problems {
			if p.Code == scan.RootMissing && p.Path == r.Path {
				list[i].Trouble = errors.New(strings.TrimSuffix(p.What, "."))
			}
		}
	}
	return list
}

func (l *modelSource) translateModel(m *scan.Model) control.Found {
	found := control.Found{
		Name: m.Name, Root: m.Root, Dir: m.Dir,
		ConfigPath: m.ConfigPath, ConfigText: m.ConfigText, Trouble: m.ConfigErr,
		ConfigPrint: m.ConfigFingerprint, FilesPrint: filesPrint(m),
	}
	for _, v := range m.Versions {
		found.Versions = append(found.Versions, control.FoundVersion{Number: v.Number, Dir: v.Dir, Print: v.Fingerprint})
	}
	if v, ok := m.Variant(l.variant); ok {
		found.ConfigPath, found.ConfigText, found.Trouble = v.Path, v.Text, v.Err
		found.ConfigPrint = string(v.Text)
	}
	return found
}

// filesPrint changes with everything in the folder except the config, the entries whose names are
// digits only, and notes, which nothing reads. When it changes, every version is loaded again
// (docs/triton/repository.md, "Changes").
func filesPrint(m *scan.Model) string {
	var print strings.Builder
	for _, e := range m.Entries {
		if e.Name == layout.ConfigFile || !folder.HasNonDigit(e.Name) || !e.Folder && m.IsNote(e.Name) {
			continue
		}
		print.WriteString(e.Name + "\x00" + e.Fingerprint + "\x00")
	}
	return print.String()
}
