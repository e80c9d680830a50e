package control

import (
	"context"
	"strings"

	"conch/engine/infer"
)

// Request are the options of Load.
type Request struct {
	Override string            // the config as JSON that stands in for the file's; "" for none
	Files    map[string][]byte // by path; not supported
	Force    bool              // also when nothing changed, and in every mode
}

// Load brings a model, and what it is made of, to what is on disk. It answers when that is done or has failed
// (triton-config D.8).
func (m *Manager) Load(ctx context.Context, name string, r Request) error {
	if err := m.mayLoad(name, r); err != nil {
		return err
	}
	if _, err := m.o.Library.Refresh(ctx, name); err != nil {
		return infer.Errorf(infer.Internal, "failed to load '%s', failed to poll from model repository: %v", name, err)
	}
	if parts := m.partsOf(name); len(parts) > 0 {
		if _, err := m.o.Library.Refresh(ctx, parts...); err != nil {
			m.log.Warn("looking at the parts of an ensemble", "model", name, "error", err)
		}
	}
	m.accept(m.o.Library.Current())
	o := order{action: loadModel, explicit: true, force: r.Force}
	if r.Override != "" {
		o.override = &r.Override
	}
	failures, err := m.carryOut(map[string]order{name: o})
	if err != nil {
		return err
	}
	if f := failures[name]; f != nil {
		return f.answer(name)
	}
	return nil
}

// notExplicit is Triton's answer in the modes none and poll alike.
const notExplicit = "explicit model load / unload is not allowed if polling is enabled"

func (m *Manager) mayLoad(name string, r Request) error {
	switch {
	case m.o.Mode != Explicit && !r.Force:
		return infer.Errorf(infer.Unavailable, notExplicit)
	case strings.TrimSpace(name) == "":
		return infer.Errorf(infer.InvalidArg, "Model name cannot be empty. Please enter a valid name to deploy.")
	case name == ".." || strings.Contains(name, "/"):
		return infer.Errorf(infer.InvalidArg, "invalid model name '%s', model name must not contain path traversal characters", name)
	case len(r.Files) > 0 && r.Override == "":
		return infer.Errorf(infer.Internal, "failed to load '%s', failed to poll from model repository", name)
	case len(r.Files) > 0:
		return infer.Errorf(infer.Unsupported, "load of model '%s' with file overrides is not supported; put the files into the model repository instead", name)
	}
	return nil
}

// Unload takes a model out and with it the ensembles made of it; with dependents also what it is itself made of and
// nobody else needs. It answers before the last request has ended (triton-config D.9).
func (m *Manager) Unload(name string, dependents bool) error {
	if m.o.Mode != Explicit {
		return infer.Errorf(infer.Unavailable, notExplicit)
	}
	parts := m.partsOf(name)
	if _, err := m.carryOut(map[string]order{name: {action: unload, explicit: true}}); err != nil {
		return err
	}
	if !dependents {
		return nil
	}
	for _, part := range m.orphans(name, parts) {
		if err := m.Unload(part, true); err != nil {
			return err
		}
	}
	return nil
}
