package control

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"conch/engine/infer"
	"conch/engine/model"
)

// plan finds the model on disk, reads its config, and gives what it is made of.
func (op *operation) plan(n *node) (parts []string) {
	parts = op.m.partsOf(n.name)
	found, before := op.m.find(n.listing, n.name), *n
	n.found, n.plan = nil, nil
	switch {
	case n.order.fault != nil:
		n.failure = &failure{stage: poll, err: n.order.fault}
		return parts
	case n.order.given != nil:
		found = []Found{*n.order.given}
	case len(found) == 0:
		n.failure = pollFailure("model not found in any model repository")
		return parts
	case len(found) > 1:
		n.failure = pollFailure(fmt.Sprintf("%s: it lies in %s and in %s; remove one, or tell them apart with --model-namespacing",
			notUnique, found[0].Root, found[1].Root))
		return parts
	}
	n.found = &found[0]
	if n.found.Trouble != nil {
		n.failure = pollFailure(n.found.Trouble.Error())
		return parts
	}
	p, err := op.planOf(n, before, op.m.overrideFor(n))
	if err != nil {
		n.failure = &failure{stage: poll, err: err}
		return parts
	}
	n.plan = p
	return op.m.partKeysOf(n.name, p.Parts())
}

// planOf reads the config, unless that has been done: by the look before it was the model's turn, or for the versions
// that serve, when nothing has changed since.
func (op *operation) planOf(n *node, before node, override string) (*model.Plan, error) {
	now := lookAt(n.found, override)
	if before.plan != nil && lookAt(before.found, before.plan.Source.Override) == now {
		return before.plan, nil
	}
	if p := op.m.servingPlan(n, now); p != nil {
		return p, nil
	}
	id := op.m.names.identity(n.name)
	return op.m.o.Loader.Plan(model.Source{
		Name: id.name, Namespace: id.namespace, Dir: n.found.Dir, Root: n.found.Root, ConfigPath: n.found.ConfigPath, ConfigText: n.found.ConfigText,
		Override: override,
	})
}

// servingPlan is the plan of the versions that serve, if they were made from the same files; nil otherwise.
func (m *Manager) servingPlan(n *node, now look) *model.Plan {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e := m.entries[n.name]; e != nil && len(e.serving) > 0 && e.failed == nil && e.tried == now && !n.order.force {
		return e.plan
	}
	return nil
}

// notUnique is Triton's word for a name that several repositories have.
const notUnique = "not unique across all model repositories"

func pollFailure(text string) *failure {
	return &failure{stage: poll, err: infer.Errorf(infer.Internal, "%s", text)}
}

// overrideFor is the config that takes the place of the file: the request's, or that of an earlier
// request as long as the model serves and its files are the same (docs/triton/loading.md, "Config
// of a load request"). A forced load takes the file's config: that is how people get back to it.
func (m *Manager) overrideFor(n *node) string {
	switch {
	case n.order.override != nil:
		return *n.order.override
	case n.order.force:
		return ""
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.entries[n.name]
	if e == nil || len(e.serving) == 0 || !lookAt(n.found, "").sameFiles(e.tried) {
		return ""
	}
	return e.tried.override
}

// load brings a model to what its files say.
func (op *operation) load(n *node) {
	op.m.want(n)
	switch {
	case n.failure != nil:
		op.reject(n)
		return
	case op.m.upToDate(n):
		op.dropIfInvalid(n) // an ensemble, when what it is made of has changed
		op.m.tellTakenBack(n)
		return
	}
	for {
		if n.failure = op.m.refuseCode(n); n.failure != nil {
			op.reject(n)
		} else {
			op.loadTrusted(n)
		}
		if n.failure == nil || !n.failure.untrusted || op.m.refuseCode(n) != nil {
			return
		}
		// It was trusted just now, and SetAccess did not see it wait.
	}
}

// loadTrusted loads a model that may run what it brings.
func (op *operation) loadTrusted(n *node) {
	if n.failure = op.checkParts(n.plan); n.failure != nil {
		op.reject(n)
		op.dropIfInvalid(n)
		return
	}
	op.build(n)
}

// want notes who wants the model. A name that is nowhere is not wanted by asking for it.
func (m *Manager) want(n *node) {
	if n.found == nil && n.order.explicit {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.entry(n.name)
	e.wanted = true
	e.explicit = e.explicit || n.order.explicit
	if n.plan != nil {
		m.setParts(e, n.plan.Parts())
		e.backend = n.plan.Config.Backend
	}
}

// setParts notes what an ensemble is made of. m.mu is held.
func (m *Manager) setParts(e *entry, parts []string) {
	for _, part := range e.parts {
		if delete(m.users[part], e.name); len(m.users[part]) == 0 {
			delete(m.users, part)
		}
	}
	e.parts = parts
	for _, part := range parts {
		if m.users[part] == nil {
			m.users[part] = map[string]bool{}
		}
		m.users[part][e.name] = true
	}
}

func (m *Manager) upToDate(n *node) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.entry(n.name)
	return !n.order.force && n.order.override == nil && n.order.given == nil && e.failed == nil && len(e.serving) > 0 &&
		lookAt(n.found, n.plan.Source.Override) == e.tried
}

// build loads the versions that are new or changed beside those that serve, and swaps when all are ready.
func (op *operation) build(n *node) {
	began := time.Now()
	chosen := model.Select(n.plan.Config.VersionPolicy, versionDirs(n.found))
	if len(chosen) == 0 {
		op.m.know(n.name)
		n.failure = &failure{stage: selection, err: model.NoVersion(n.name)}
		op.reject(n)
		return
	}
	d := op.m.divide(n, chosen)
	kept := d.kept
	loaded, faults := op.loadAll(n, d)
	if refused := untrustedAmong(faults); refused != nil {
		op.drop(loaded)
		n.failure = refused
		op.reject(n)
		return
	}
	if len(faults) > 0 {
		op.drop(loaded)
		n.failure = &failure{stage: load, err: errors.Join(mapValues(faults)...), versions: faults, updated: map[int64]bool{}}
		for number := range d.updated {
			n.failure.updated[number] = true
		}
		if superseded(n.ctx) {
			op.standDown(n, *n.failure)
			return
		}
		op.reject(n)
		return
	}
	if n.failure = op.swap(n, kept, loaded); n.failure != nil {
		op.drop(loaded)
		if n.failure.untrusted {
			op.reject(n)
		}
		return
	}
	op.m.report(n, loaded, time.Since(began))
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

// know makes the server's readiness depend on a model from now on.
func (m *Manager) know(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.entry(name).known = true
}

// division says what is to be done with the versions that a config chooses.
type division struct {
	kept    map[int64]*served        // they go on as they are
	updated map[int64]*model.Version // their instances are changed in place
	fresh   []model.VersionDir       // to be made: the updated and those that are loaded
}

// divide divides the chosen versions, and marks those that are loaded. A version is kept when
// neither its folder, nor other files of the model, nor the config changed, and changed in place
// when only instance groups did (docs/triton/repository.md, "Changes"; docs/triton/repository.md,
// "What a change does").
func (m *Manager) divide(n *node, chosen []model.VersionDir) division {
	m.mu.Lock()
	e := m.entry(n.name)
	e.known, e.loading, e.phase = true, time.Now(), waitsForOthers
	still := !n.order.force && !n.plan.Ensemble() && e.tried.files == n.found.FilesPrint
	same, alike := still && n.plan.SameVersions(e.plan), still && n.plan.SameModel(e.plan)
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
	m.mu.Unlock()
	m.hub.changed(n.name)
	return d
}

// waitsForOthers is the phase of a load before it has one of the places for loads.
const waitsForOthers = "waiting for other loads"

func printOf(f *Found, number int64) string {
	for _, v := range f.Versions {
		if v.Number == number {
			return v.Print
		}
	}
	return ""
}

// loadAll loads versions side by side, as many at a time as the whole engine may.
func (op *operation) loadAll(n *node, d division) (map[int64]*model.Version, map[int64]error) {
	loaded, faults := map[int64]*model.Version{}, map[int64]error{}
	var mu sync.Mutex // guards both maps
	var all sync.WaitGroup
	for _, dir := range d.fresh {
		all.Go(func() {
			v, err := op.loadOne(n.ctx, n, building{dir, d.updated[dir.Number]})
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

// building is a version to be made, from one that serves where there is one.
type building struct {
	dir  model.VersionDir
	from *model.Version
}

// notTrusted is the fault of a version whose code was trusted no more when its turn came.
type notTrusted struct{ *failure }

func (f notTrusted) Error() string { return f.text() }

// untrustedAmong gives why versions were not loaded, if it was for want of trust; else nil.
func untrustedAmong(faults map[int64]error) *failure {
	for _, err := range faults {
		var f notTrusted
		if errors.As(err, &f) {
			return f.failure
		}
	}
	return nil
}

func (op *operation) loadOne(ctx context.Context, n *node, b building) (v *model.Version, err error) {
	select {
	case op.m.threads <- struct{}{}:
		defer func() { <-op.m.threads }()
	case <-ctx.Done():
		return nil, op.m.cancelled(ctx, n.name)
	}
	phase := func(phase string) { op.m.phase(n.name, phase) }
	for try := 0; try == 0 || try <= op.m.o.LoadRetries && err != nil && ctx.Err() == nil; try++ {
		if refused := op.m.refuseCode(n); refused != nil {
			return nil, notTrusted{refused} // trust was taken back while it waited
		}
		if b.from != nil {
			v, err = op.m.o.Loader.Update(ctx, b.from, n.plan, phase)
		} else {
			v, err = op.m.o.Loader.Load(ctx, n.plan, b.dir, phase)
		}
	}
	if err != nil && ctx.Err() != nil {
		return nil, op.m.cancelled(ctx, n.name)
	}
	return v, err
}

// phase tells people how far a load is.
func (m *Manager) phase(name, phase string) {
	m.mu.Lock()
	m.entry(name).phase = phase
	m.mu.Unlock()
	m.hub.changed(name)
}

func (op *operation) drop(loaded map[int64]*model.Version) {
	for _, v := range loaded {
		if err := v.Close(); err != nil {
			op.m.log.Warn("freeing a model that is not needed after all", "model", v.Name, "version", v.Number, "error", err)
		}
	}
}
