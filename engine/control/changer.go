package control

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"conch/engine/infer"
	"conch/engine/model"
)

// changer changes the serving versions of one model, as its order says. The order's operation holds
// the model's name lock.
type changer struct {
	*core
	definer *definer
	builder *builder
	gate    *gate
	exits   *exits
	files   *clientFiles
	// again reloads a model whose load failed for a temporary reason, unless something has happened
	// to the model meanwhile.
	again func(key string, failed *failure)
}

// A load that failed for a temporary reason is retried after this time, then after twice as long, and so on.
const (
	firstRetry = time.Second
	lastRetry  = time.Minute
)

// load makes a model follow its files.
func (c *changer) load(n *node) {
	if n.failure == nil && n.order.brings() {
		if n.failure = c.gate.refuseCode(n); n.failure != nil {
			c.turnAway(n)
			return
		}
	}
	c.want(n)
	switch {
	case n.failure != nil:
		c.reject(n)
		return
	case c.upToDate(n):
		c.dropIfInvalid(n) // an ensemble whose models have changed
		c.tellTakenBack(n)
		return
	}
	for {
		if n.failure = c.gate.refuseCode(n); n.failure != nil {
			c.reject(n)
		} else {
			c.loadTrusted(n)
		}
		if n.failure == nil || !n.failure.untrusted || c.gate.refuseCode(n) != nil {
			return
		}
		// Its code was trusted a moment ago, and SetAccess did not see that it waits.
	}
}

// turnAway logs that what a client brought is refused. The client is told; nothing about the model changes.
func (c *changer) turnAway(n *node) {
	c.log.Warn("refused what a load request brought", "model", n.name, "reason", n.failure.text())
}

// loadTrusted loads a model whose code may run.
func (c *changer) loadTrusted(n *node) {
	if n.failure = c.definer.checkParts(n.definition); n.failure != nil {
		c.reject(n)
		c.dropIfInvalid(n)
		return
	}
	c.build(n)
}

// want records who wants the model. Asking for an unknown name does not make it wanted.
func (c *changer) want(n *node) {
	if n.found == nil && n.order.explicit {
		return
	}
	s := c.state.Lock()
	defer c.state.Unlock()
	e := s.models.entry(n.name)
	e.wanted = true
	e.explicit = e.explicit || n.order.explicit
	if n.definition != nil {
		s.models.setParts(e, n.definition.Parts())
		e.backend = n.definition.Config.Backend
	}
}

func (c *changer) upToDate(n *node) bool {
	s := c.state.Lock()
	defer c.state.Unlock()
	e := s.models.entry(n.name)
	return !n.order.force && n.order.override == nil && n.order.given == nil && e.failed == nil && len(e.serving) > 0 &&
		lookAt(n.found, n.imports, n.definition.Source.Override) == e.tried
}

// build loads the new and changed versions while the old ones serve, and swaps them when all are ready.
func (c *changer) build(n *node) {
	asked := time.Now()
	kept, loaded, why := c.builder.build(n)
	n.failure = why
	switch {
	case why != nil && why.stage == load && !why.untrusted && superseded(n.ctx):
		c.standDown(n, *why)
		return
	case why != nil:
		c.reject(n)
		return
	}
	if n.failure = c.swap(n, kept, loaded); n.failure != nil {
		c.builder.drop(loaded)
		if n.failure.untrusted {
			c.reject(n)
		}
		return
	}
	if n.begun.IsZero() { // nothing had to be loaded
		n.begun = asked
	}
	c.report(n, loaded, n.begun.Sub(asked))
}

// swap puts the new versions into service, and takes out the versions that they replace or that are no
// longer selected. It fails when the Manager closes, and when trust in their code was withdrawn while
// they were loaded.
func (c *changer) swap(n *node, kept map[int64]*served, loaded map[int64]*model.Version) *failure {
	s := c.state.Lock()
	if refused := c.refusesNew(s, n); refused != nil {
		c.state.Unlock()
		return refused
	}
	e := s.models.entry(n.name)
	old := e.serving
	e.serving = kept
	for number, v := range loaded {
		switch before := old[number]; {
		case before == nil:
		case v.Updates(before.version):
			v.Adopt()
		default:
			v.Counters().Follows(before.version.Counters())
		}
		c.o.Ledger.Open(v.Name, number, v.Counters()) // before the first request
		e.serving[number] = &served{version: v, print: printOf(n.found, number)}
		c.files.useBy(v)
	}
	var replaced []*model.Version
	for number, before := range old {
		if now := e.serving[number]; now != nil && now.version == before.version {
			continue
		}
		replaced = append(replaced, before.version)
		e.set(number, Status{State: model.Unloading})
	}
	for number := range e.serving {
		e.set(number, Status{State: model.Ready})
	}
	e.definition, e.failed = n.definition, nil
	e.idle()
	e.tried = lookAt(n.found, n.imports, n.definition.Source.Override)
	n.because = e.imports.loaded(e.versions())
	e.disk, e.given, e.changed, e.root = c.onDisk(n), n.order.given != nil, false, n.found.Root
	e.known = true
	e.since = time.Now()
	if len(loaded)+len(replaced) > 0 || e.loaded.IsZero() { // else what serves is what answered before
		e.loaded = e.since
	}
	c.routes.publish(e)
	c.o.Loader.Swaps.Add(1)
	c.state.Unlock()
	c.watchImports()
	c.hub.changed(n.name)
	if len(replaced) > 0 {
		c.exits.retire(retirement{name: n.name, versions: replaced})
	}
	return nil
}

// refusesNew returns why ready versions may not serve.
func (c *changer) refusesNew(s *state, n *node) *failure {
	if s.closing {
		return &failure{stage: selection, err: infer.Errorf(infer.Unavailable, "server is exiting")}
	}
	return c.gate.refuseCodeUnder(s.access, n)
}

// reject records a failed load. The old versions go on serving.
func (c *changer) reject(n *node) {
	s := c.state.Lock()
	e := s.models.entry(n.name)
	// If an ensemble still has the same error after one of its models was loaded, people are not
	// notified again.
	known := (n.order.action == check || n.order.again) && e.failed != nil && e.failed.text() == n.failure.text()
	e.failed = n.failure
	e.idle()
	if n.found != nil && n.order.given == nil {
		e.tried = lookAt(n.found, n.imports, overrideOf(n))
	}
	e.disk, e.changed = c.onDisk(n), false
	because := e.imports.takeNews()
	e.reject(n.failure)
	if !n.order.again {
		e.retries = 0
	}
	c.retryLater(s, e)
	e.since = time.Now()
	serves := len(e.serving) > 0
	c.state.Unlock()
	kind := LoadFailed
	if serves {
		kind = ReloadFailed
	}
	if known {
		return
	}
	text := n.failure.text()
	c.log.Error(n.failure.logLine(n.name), "model", n.name, "reason", text, "still_serving", serves)
	if without := n.failure.withoutStrict(); without != "" {
		c.log.Warn("the model is refused because of --strict-gpu, or of the setting \"Refuse models whose GPUs are missing\" in the workbench; without it, "+without, "model", n.name)
	}
	if !serves && c.isNowhere(n) {
		return // there is no such model, so nothing can be reported about it
	}
	c.hub.happened(Happening{Kind: kind, Model: n.name, Reason: text, Imports: because, Time: time.Now()})
	c.hub.changed(n.name)
}

// isNowhere reports whether no repository has the model, and no client has sent it. An ensemble may
// name such a model. The failed load is then reported as the ensemble's.
func (c *changer) isNowhere(n *node) bool {
	return n.found == nil && n.order.fault == nil && len(c.names.find(n.listing, n.name)) == 0
}

// retryLater retries a load that failed for a temporary reason, if the model follows its files.
func (c *changer) retryLater(s *state, e *entry) {
	if !e.failed.passes() || !s.follows(e.name) || s.closing {
		return
	}
	wait := min(firstRetry<<min(e.retries, 10), lastRetry)
	e.retries++
	key, failed := e.name, e.failed
	time.AfterFunc(wait, func() { c.again(key, failed) })
	c.log.Info("the load will be retried", "model", key, "in", wait)
}

// onDisk returns the look of the model's own folder, even if the model was loaded from a client's
// files.
func (c *changer) onDisk(n *node) look {
	if found := c.names.find(n.listing, n.name); len(found) == 1 {
		return lookAt(&found[0], n.imports, "")
	}
	return look{}
}

// tellTakenBack reports that the serving versions match the file, to a person who saved a file and
// then saved its earlier content again.
func (c *changer) tellTakenBack(n *node) {
	s := c.state.Lock()
	e := s.models.entry(n.name)
	takenBack := e.stoodDown && len(e.serving) > 0
	e.stoodDown = false
	if takenBack {
		e.disk, e.changed = s.look(s.listing, n.name), false
	}
	c.state.Unlock()
	if takenBack {
		c.report(n, nil, 0)
	}
}

func overrideOf(n *node) string {
	if n.definition == nil {
		return ""
	}
	return n.definition.Source.Override
}

// keptAll is the reason of a reload that had nothing to load: only a comment changed, or a version is no longer
// selected.
const keptAll = "nothing had to be reloaded, because the change does not affect the loaded versions"

// report reports a successful load, even one that changed nothing: a person who has saved a file
// waits for an answer. waited is how long the load waited for others, which does not count as its time.
func (c *changer) report(n *node, loaded map[int64]*model.Version, waited time.Duration) {
	var took time.Duration
	if !n.begun.IsZero() {
		took = time.Since(n.begun)
	}
	s := c.state.Lock()
	e := s.models.entry(n.name)
	var last int64
	for number := range e.serving {
		last = max(last, number)
	}
	kind := Loaded
	if e.wasServing {
		kind = Reloaded
	}
	e.wasServing = true
	c.state.Unlock()
	reason := ""
	if len(loaded) == 0 {
		reason = keptAll
	}
	facts := []any{"model", n.name, "version", last, "took", took, "note", reason}
	if waited >= time.Millisecond {
		facts = append(facts, "waited_for_others", waited)
	}
	c.log.Info(fmt.Sprintf("successfully loaded '%s'", n.name), facts...)
	c.hub.happened(Happening{Kind: kind, Model: n.name, Version: last, Reason: reason, Imports: n.because, Time: time.Now(), Took: took})
}

// unload unloads a model. The model is freed when its requests, and those of ensembles made of it, have
// ended.
func (c *changer) unload(n *node) {
	s := c.state.Lock()
	e := s.models.entries[n.name]
	if e == nil {
		c.state.Unlock()
		return
	}
	if n.order.explicit {
		e.wanted, e.explicit = false, false
	}
	e.definition, e.wasServing = nil, false
	e.idle()
	e.tried, e.disk, e.given, e.changed = look{}, look{}, false, false
	if len(e.serving) > 0 {
		e.failed = nil
	}
	e.imports.forget()
	c.state.Unlock()
	c.watchImports()
	n.out = c.exits.takeOut(n.name)
	if len(n.out) > 0 {
		for _, v := range n.out {
			c.log.Info(fmt.Sprintf("successfully unloaded '%s' version %d", n.name, v.Number), "model", n.name)
		}
		c.hub.happened(Happening{Kind: Unloaded, Model: n.name, Version: n.out[len(n.out)-1].Number, Time: time.Now()})
	}
	c.hub.changed(n.name)
}

// unloadAsOrdered unloads a model. There is one exception: the order came because the model's folder
// was removed, and now the folder is back or its whole repository is missing.
func (c *changer) unloadAsOrdered(n *node) {
	if !n.order.explicit && (len(c.names.find(n.listing, n.name)) == 1 || c.isHeld(n.name)) {
		return
	}
	c.unload(n)
}

func (c *changer) isHeld(key string) bool {
	s := c.state.Lock()
	defer c.state.Unlock()
	return s.held(key) != ""
}

// check checks a wanted ensemble after one of its models has changed: it goes on, is loaded again, or is
// unloaded.
func (c *changer) check(n *node) {
	switch c.fate(n) {
	case unload:
		c.unload(n)
	case check:
		c.dropIfInvalid(n)
	case loadModel:
		c.definer.define(n)
		c.load(n)
	}
}

// fate returns the action for a checked ensemble: unload it if its folder was removed together with
// its models, check it if it serves, load it, or do nothing.
func (c *changer) fate(n *node) action {
	s := c.state.Lock()
	defer c.state.Unlock()
	switch {
	case s.follows(n.name) && len(c.names.find(n.listing, n.name)) == 0 && s.held(n.name) == "":
		return unload
	case s.models.serves(n.name):
		return check
	case s.isOrdered(n):
		return nothing // that order will check it against its models
	}
	return loadModel
}

// dropIfInvalid unloads a serving ensemble that can no longer work. There is no older state to keep
// (docs/triton/ensembles.md, "Loading and unloading").
func (c *changer) dropIfInvalid(n *node) {
	s := c.state.Lock()
	serving := s.models.definition(n.name)
	c.state.Unlock()
	if serving == nil {
		return
	}
	f := c.definer.checkParts(serving)
	if f == nil {
		c.renew(n)
		return
	}
	n.failure = f
	n.out = c.exits.takeOut(n.name)
	c.state.Lock().models.entry(n.name).fell(f)
	c.state.Unlock()
	c.log.Error(f.logLine(n.name), "model", n.name, "reason", f.text())
	c.hub.happened(Happening{Kind: Unloaded, Model: n.name, Reason: f.text(), Time: time.Now()})
	c.hub.changed(n.name)
}

// renew reloads a serving ensemble when a step has become decoupled or is no longer decoupled. The
// ensemble's own transaction policy follows its steps.
func (c *changer) renew(n *node) {
	if !slices.ContainsFunc(c.routes.versions(n.name), (*model.Version).Outdated) {
		return
	}
	if n.definition == nil {
		c.definer.define(n)
	}
	if n.failure == nil {
		c.build(n)
	}
}

// standDown ends a load that was stopped and is not a failure of its model.
func (c *changer) standDown(n *node, why failure) {
	if n.order.action == loadModel {
		c.want(n) // so that a load of one of its models checks it too
	}
	why.superseded, why.stopped = true, why.stopped || errors.Is(context.Cause(n.ctx), byStop)
	n.failure = &why
	s := c.state.Lock()
	if e := s.models.entries[n.name]; e != nil {
		e.idle()
		e.stoodDown = true
		for _, number := range e.numbers() {
			if e.status[number].State == model.Loading {
				e.set(number, Status{State: model.Unavailable, Reason: model.Unloaded})
			}
		}
		if why.stopped {
			c.noteStopped(n, e)
		}
	}
	c.state.Unlock()
	c.log.Info("a load was stopped", "model", n.name, "reason", why.text())
	c.hub.changed(n.name)
}

// noteStopped records that the files of a stopped load are not loaded until somebody asks for them.
func (c *changer) noteStopped(n *node, e *entry) {
	disk := c.onDisk(n)
	e.changed = len(e.serving) > 0 && disk != e.disk
	e.disk, e.stoodDown = disk, false
	if len(e.serving) == 0 && e.failed == nil {
		e.wanted, e.explicit = false, false // as after an unload
	}
}
