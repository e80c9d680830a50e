package control

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"conch/engine/model"
)

// builder builds the versions of a model that a config selects. None of them serves yet.
type builder struct {
	*core
	gate    *gate
	threads chan struct{} // limits the loads at a time
}

// build builds the versions that are new or changed. kept are the versions that go on serving
// unchanged. When one fails, all that were built are freed again.
func (b *builder) build(n *node) (kept map[int64]*served, loaded map[int64]*model.Version, why *failure) {
	chosen := model.Select(n.definition.Config.VersionPolicy, versionDirs(n.found))
	if len(chosen) == 0 {
		b.know(n.name)
		return nil, nil, &failure{stage: selection, err: model.NoVersion(n.name)}
	}
	d := b.divide(n, chosen)
	loaded, faults := b.loadAll(n, d)
	if len(faults) == 0 {
		return d.kept, loaded, nil
	}
	b.drop(loaded)
	if refused := untrustedAmong(faults); refused != nil {
		return nil, nil, refused
	}
	why = &failure{stage: load, err: errors.Join(mapValues(faults)...), versions: faults, updated: map[int64]bool{}}
	for number := range d.updated {
		why.updated[number] = true
	}
	return nil, nil, why
}

func versionDirs(f *Found) []model.VersionDir {
	dirs := make([]model.VersionDir, len(f.Versions))
	for i, v := range f.Versions {
		dirs[i] = model.VersionDir{Number: v.Number, Dir: v.Dir}
	}
	return dirs
}

func mapValues(faults map[int64]error) (list []error) {
	for _, err := range faults {
		list = append(list, err)
	}
	return list
}

// know makes the server's readiness depend on a model.
func (b *builder) know(name string) {
	s := b.state.Lock()
	defer b.state.Unlock()
	s.models.entry(name).known = true
}

// division sorts the versions that a config selects by what must be done with them.
type division struct {
	kept    map[int64]*served        // they go on unchanged
	updated map[int64]*model.Version // their instances are changed in place
	fresh   []model.VersionDir       // versions to build: the updated ones and the new ones
}

// divide sorts the selected versions, and marks those that will be loaded. A version is kept when
// its folder, the model's other files and the config are unchanged. It is changed in place when
// only its instance groups changed (docs/triton/repository.md, "Changes";
// docs/triton/repository.md, "What a change does").
func (b *builder) divide(n *node, chosen []model.VersionDir) division {
	s := b.state.Lock()
	e := s.models.entry(n.name)
	e.known, e.loading, e.phase = true, time.Now(), waitsForOthers
	still := !n.order.force && !n.definition.Ensemble() && e.tried.files == n.found.FilesPrint && e.tried.imports == n.imports
	same, alike := still && n.definition.SameVersions(e.definition), still && n.definition.SameModel(e.definition)
	d := division{kept: map[int64]*served{}, updated: map[int64]*model.Version{}}
	for _, dir := range chosen {
		now := e.serving[dir.Number]
		untouched := now != nil && now.print == printOf(n.found, dir.Number)
		switch {
		case untouched && same:
			d.kept[dir.Number] = now
			continue
		case untouched && alike:
			d.updated[dir.Number] = now.version
		case now == nil:
			e.set(dir.Number, Status{State: model.Loading})
		}
		d.fresh = append(d.fresh, dir)
	}
	b.state.Unlock()
	b.hub.changed(n.name)
	return d
}

// waitsForOthers is the phase of a load that waits for a free load thread.
const waitsForOthers = "waiting for other loads"

func printOf(f *Found, number int64) string {
	for _, v := range f.Versions {
		if v.Number == number {
			return v.Print
		}
	}
	return ""
}

// loadAll loads versions at the same time, within the engine's limit of loads.
func (b *builder) loadAll(n *node, d division) (map[int64]*model.Version, map[int64]error) {
	loaded, faults := map[int64]*model.Version{}, map[int64]error{}
	var mu sync.Mutex // guards both maps, and n.begun
	begins := func() {
		mu.Lock()
		defer mu.Unlock()
		if n.begun.IsZero() {
			n.begun = time.Now()
		}
	}
	var all sync.WaitGroup
	for _, dir := range d.fresh {
		all.Go(func() {
			v, err := b.loadOne(n.ctx, n, building{dir, d.updated[dir.Number]}, begins)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				faults[dir.Number] = err
				return
			}
			loaded[dir.Number] = v
		})
	}
	all.Wait()
	return loaded, faults
}

// building is a version to build, from the serving one if there is one.
type building struct {
	dir  model.VersionDir
	from *model.Version
}

// notTrusted is the error of a version whose code was no longer trusted when its turn came.
type notTrusted struct{ *failure }

func (f notTrusted) Error() string { return f.text() }

// untrustedAmong returns the failure of versions that were not loaded because their code is not
// trusted; otherwise nil.
func untrustedAmong(faults map[int64]error) *failure {
	for _, err := range faults {
		var f notTrusted
		if errors.As(err, &f) {
			return f.failure
		}
	}
	return nil
}

func (b *builder) loadOne(ctx context.Context, n *node, made building, begins func()) (v *model.Version, err error) {
	l := &loading{model: n.name, threads: b.threads}
	if !l.begin(ctx) {
		return nil, b.cancelled(ctx, n.name)
	}
	defer l.end()
	begins()
	b.log.Info(fmt.Sprintf("loading: %s:%d", n.name, made.dir.Number), "model", n.name)
	ctx = context.WithValue(ctx, loadingKey{}, l)
	phase := func(phase string) { b.phase(n.name, phase) }
	for try := 0; try == 0 || try <= b.o.LoadRetries && err != nil && ctx.Err() == nil; try++ {
		if refused := b.gate.refuseCode(n); refused != nil {
			return nil, notTrusted{refused} // trust was withdrawn while it waited
		}
		if made.from != nil {
			v, err = b.o.Loader.Update(ctx, made.from, n.definition, phase)
		} else {
			v, err = b.o.Loader.Load(ctx, n.definition, made.dir, phase)
		}
	}
	if err != nil && ctx.Err() != nil {
		return nil, b.cancelled(ctx, n.name)
	}
	return v, err
}

// phase shows the progress of a load to people.
func (b *builder) phase(name, phase string) {
	s := b.state.Lock()
	s.models.entry(name).phase = phase
	b.state.Unlock()
	b.hub.changed(name)
}

func (b *builder) drop(loaded map[int64]*model.Version) {
	for _, v := range loaded {
		if err := v.Close(); err != nil {
			b.log.Warn("freeing a version that is not needed", "model", v.Name, "version", v.Number, "error", err)
		}
	}
}
