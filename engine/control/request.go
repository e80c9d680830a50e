package control

import (
	"context"
	"strings"

	"conch/engine/infer"
)

// Request are the options of Load.
type Request struct {
	Override string            // the config as JSON that replaces the file's; "" for none
	Files    map[string][]byte // by path in the model's folder, which they replace; only with Override
	Force    bool              // load even when nothing changed, and in every mode
}

// Load loads a model and the models of its steps from the disk or from the client's files. It
// returns when that is done or has failed (docs/triton/loading.md, "Load"), or when ctx ends.
func (m *Manager) Load(ctx context.Context, name string, r Request) error {
	if err := m.mayLoad(name, r); err != nil {
		return err
	}
	if err := m.gate.mayBring(name, r); err != nil {
		return err
	}
	if err := m.lookFor(ctx, name); err != nil {
		return err
	}
	o := order{action: loadModel, explicit: true, force: r.Force}
	if r.Override != "" {
		o.override = &r.Override
	}
	keys := m.names.keysFor(m.o.Models.Current(), name)
	if len(r.Files) > 0 {
		o.given, o.fault = m.files.lay(name, r)
		if o.given != nil {
			defer m.files.letGo(o.given.Dir)
		}
		keys = []string{m.names.key(identity{name: name})}
	}
	orders := map[string]order{}
	for _, key := range keys {
		if f := m.refuses(key, o); f != nil {
			return f.answer(name)
		}
		orders[key] = o
	}
	loadingOf(ctx).asks()
	failures, err := m.ops.carryOut(ctx, orders)
	if err != nil {
		return err
	}
	for _, key := range keys {
		if f := failures[key]; f != nil {
			return f.answer(name)
		}
	}
	return nil
}

// refuses returns why a load request is refused before it is an order, which would end the loads that are under way: what it brings is
// not permitted, or cannot be read while such a load goes on.
func (m *Manager) refuses(key string, o order) *failure {
	if !o.brings() && o.fault == nil {
		return nil
	}
	n := newNode(key, o)
	n.listing = m.o.Models.Current()
	m.definer.define(n)
	switch {
	case n.failure == nil:
		n.failure = m.gate.refuseCode(n)
	case !m.ops.loads(key):
		return nil
	}
	if n.failure != nil {
		m.ops.changer.turnAway(n)
	}
	return n.failure
}

// lookFor reads the folders of a model and of its last known parts.
func (m *Manager) lookFor(ctx context.Context, name string) error {
	if _, err := m.o.Models.Refresh(ctx, name); err != nil {
		return infer.Errorf(infer.Internal, "failed to load '%s', failed to poll from model repository: %v", name, err)
	}
	var parts []string
	for _, key := range m.names.called(name) {
		for _, part := range m.definer.knownParts(key) {
			parts = append(parts, m.names.identity(part).name)
		}
	}
	if len(parts) > 0 {
		if _, err := m.o.Models.Refresh(ctx, parts...); err != nil {
			m.log.Warn("looking at the parts of an ensemble", "model", name, "error", err)
		}
	}
	m.follower.accept(m.o.Models.Current())
	return nil
}

// notExplicit is Triton's answer in both modes none and poll.
const notExplicit = "explicit model load / unload is not allowed if polling is enabled"

func (m *Manager) mayLoad(name string, r Request) error {
	switch {
	case m.o.Mode != Explicit && !r.Force:
		return infer.Errorf(infer.Unavailable, notExplicit)
	case strings.TrimSpace(name) == "":
		return infer.Errorf(infer.InvalidArg, "Model name cannot be empty. Please enter a valid name to deploy.")
	case name == ".." || strings.Contains(name, "/"):
		return infer.Errorf(infer.InvalidArg,
			"invalid model name '%s', model name must not contain path traversal characters", name)
	}
	return nil
}

// Unload unloads a model and the ensembles that are made of it. With dependents, it also unloads
// the models of its steps that nobody else needs. It returns before the last request has ended
// (docs/triton/loading.md, "Unload").
func (m *Manager) Unload(name string, dependents bool) error {
	if m.o.Mode != Explicit {
		return infer.Errorf(infer.Unavailable, notExplicit)
	}
	for _, key := range m.names.called(name) {
		if err := m.unload(key, dependents); err != nil {
			return err
		}
	}
	return nil
}

func (m *Manager) unload(key string, dependents bool) error {
	parts := m.definer.knownParts(key)
	orders := map[string]order{key: {action: unload, explicit: true}}
	if _, err := m.ops.carryOut(context.Background(), orders); err != nil {
		return err
	}
	if !dependents {
		return nil
	}
	for _, part := range m.orphans(key, parts) {
		if err := m.unload(part, true); err != nil {
			return err
		}
	}
	return nil
}

// orphans returns the models of an ensemble's steps that nobody needs any more.
func (m *Manager) orphans(ensemble string, parts []string) []string {
	s := m.state.Lock()
	defer m.state.Unlock()
	return s.orphans(ensemble, parts)
}

// StopLoad ends the loads of a model that are under way or wait for their turn, and returns when they
// have ended. The serving versions go on. The files of the stopped loads are loaded when they change
// again, or when somebody asks.
func (m *Manager) StopLoad(ctx context.Context, name string) error {
	stopped := m.ops.stop(name)
	if len(stopped) == 0 {
		return infer.Errorf(infer.InvalidArg, "model '%s' is not being loaded", name)
	}
	for _, t := range stopped {
		select {
		case <-t.done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
