package control

import (
	"time"

	"conch/engine/infer"
	"conch/engine/model"
)

// swap puts the new versions in and takes out those that they replace or that are no longer chosen. It fails when the Manager
// closes, which wants nothing new, and when trust in their code was taken back while they were loaded.
func (op *operation) swap(n *node, kept map[int64]*served, loaded map[int64]*model.Version) *failure {
	m := op.m
	m.mu.Lock()
	if refused := op.refusesNew(n); refused != nil {
		m.mu.Unlock()
		return refused
	}
	e := m.entry(n.name)
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
		m.o.Ledger.Open(v.Name, number, v.Counters()) // before the first request can come
		e.serving[number] = &served{version: v, print: printOf(n.found, number)}
		m.useBy(v)
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
	e.plan, e.failed, e.phase, e.loading, e.stoodDown = n.plan, nil, "", time.Time{}, false
	e.tried = lookAt(n.found, n.plan.Source.Override)
	e.disk, e.given, e.changed, e.root = op.onDisk(n), n.order.given != nil, false, n.found.Root
	e.known = true
	e.since = time.Now()
	m.publish(e)
	m.o.Loader.Swaps.Add(1)
	m.mu.Unlock()
	m.hub.changed(n.name)
	if len(replaced) > 0 {
		m.retire(retirement{name: n.name, versions: replaced})
	}
	return nil
}

// refusesNew says why versions that are ready do not serve. m.mu is held.
func (op *operation) refusesNew(n *node) *failure {
	if op.m.closing {
		return &failure{stage: selection, err: infer.Errorf(infer.Unavailable, "server is exiting")}
	}
	return op.m.refuseCodeUnder(op.m.access, n)
}

// reject records a load that failed. What served before goes on serving.
func (op *operation) reject(n *node) {
	m := op.m
	m.mu.Lock()
	e := m.entry(n.name)
	// An ensemble that is still wrong after one of its parts was loaded is no news.
	known := (n.order.action == check || n.order.again) && e.failed != nil && e.failed.text() == n.failure.text()
	e.failed, e.phase, e.loading, e.stoodDown = n.failure, "", time.Time{}, false
	if n.found != nil && n.order.given == nil {
		e.tried = lookAt(n.found, overrideOf(n))
	}
	e.disk, e.changed = op.onDisk(n), false
	e.reject(n.failure)
	if !n.order.again {
		e.retries = 0
	}
	m.retryLater(e)
	e.since = time.Now()
	serves := len(e.serving) > 0
	m.mu.Unlock()
	kind := LoadFailed
	if serves {
		kind = ReloadFailed
	}
	if known {
		return
	}
	text := n.failure.text()
	m.log.Error(n.failure.logLine(n.name), "model", n.name, "reason", text, "still_serving", serves)
	m.hub.happened(Happening{Kind: kind, Model: n.name, Reason: text, Time: time.Now()})
	m.hub.changed(n.name)
}

// onDisk is how the model's own folder looks, whatever it was loaded from.
func (op *operation) onDisk(n *node) look { return op.m.diskLook(n.listing, n.name) }

// tellTakenBack tells people who saved a file, and then saved what it held before, that what serves is what the file says.
func (m *Manager) tellTakenBack(n *node) {
	m.mu.Lock()
	e := m.entry(n.name)
	takenBack := e.stoodDown && len(e.serving) > 0
	e.stoodDown = false
	if takenBack {
		e.disk, e.changed = m.diskLook(m.listing, n.name), false
	}
	m.mu.Unlock()
	if takenBack {
		m.report(n, nil, 0)
	}
}

func overrideOf(n *node) string {
	if n.plan == nil {
		return ""
	}
	return n.plan.Source.Override
}

// reject marks the versions after a failed load.
func (e *entry) reject(f *failure) {
	for _, number := range e.numbers() {
		switch s := *e.status[number]; {
		case e.serving[number] != nil:
			e.set(number, Status{State: model.Ready, NewestFailed: true})
		case infer.CodeOf(f.versions[number]) == infer.Cancelled && f.versions[number] != nil: // nobody waits for it
			e.set(number, Status{State: model.Unavailable, Reason: model.Unloaded})
		case f.versions[number] != nil:
			e.set(number, Status{State: model.Unavailable, Reason: coded(f.versions[number])})
		case s.State == model.Loading:
			e.set(number, Status{State: model.Unavailable, Reason: model.Unloaded})
		}
	}
}

// keptAll is the reason of a reload that had nothing to load: a comment, or a version that is no longer chosen.
const keptAll = "nothing that the loaded versions are made from has changed: they go on as they are"

// report tells people of a load that went well, also of one that left everything as it was: who has saved a file
// waits for an answer.
func (m *Manager) report(n *node, loaded map[int64]*model.Version, took time.Duration) {
	m.mu.Lock()
	e := m.entry(n.name)
	var last int64
	for number := range e.serving {
		last = max(last, number)
	}
	kind := Loaded
	if e.wasServing {
		kind = Reloaded
	}
	e.wasServing = true
	m.mu.Unlock()
	reason := ""
	if len(loaded) == 0 {
		reason = keptAll
	}
	m.log.Info("model serves", "model", n.name, "version", last, "took", took, "note", reason)
	m.hub.happened(Happening{Kind: kind, Model: n.name, Version: last, Reason: reason, Time: time.Now(), Took: took})
}
