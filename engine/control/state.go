package control

import (
	"slices"
	"strings"

	"conch/engine/model"
)

// state is the data that must be read at one moment: the orders for a change on disk depend on the
// listing, on the models, and on the orders under way. A model's newest order is in orders until its
// result is in models, so each change on disk is compared with one of them. core.state guards it.
type state struct {
	names  *names // never changes, like mode and reload
	mode   Mode
	reload Reload

	listing  *Listing // the newest one that was acted on
	followed *Listing // the newest one that was compared with the last looks
	roots    roots
	models   models
	orders   orders
	access   Access
	leaving  map[string][]*model.Version // by model key: versions that drain, in the order of their retirement

	started   bool
	restoring bool // the workbench still reloads the models of the last run
	closing   bool
}

// settled reports whether the start is over, including the models that are restored after it.
func (s *state) settled() bool { return s.started && !s.restoring }

// dropUnknown removes a requested name that is not a model, so that names that clients invent take
// no memory.
func (s *state) dropUnknown(key string) {
	if s.orders.any(key) || len(s.names.find(s.listing, key)) > 0 {
		return
	}
	if e := s.models.entries[key]; e != nil {
		isModel := len(e.serving) > 0 || len(e.status) > 0 || e.known || e.reload != "" || e.explicit
		if isModel || e.wanted && s.neededBesides(key, "") {
			return
		}
		s.models.drop(e)
	}
	s.names.forget(key)
}

// inUse returns the keys of the models of a name that are wanted or serve.
func (s *state) inUse(name string) (keys []string) {
	for _, key := range s.names.called(name) {
		if e := s.models.entries[key]; e != nil && (e.wanted || len(e.serving) > 0) {
			keys = append(keys, key)
		}
	}
	return keys
}

// ambiguous is the namespace of a step's model when several other namespaces have the name. It contains no
// models.
const ambiguous = "(ambiguous)"

// partKey returns the key of a step's model: the one in the ensemble's own namespace, or else the
// only one of that name.
func (s *state) partKey(namespace, part string) string {
	if !s.names.namespacing {
		return part
	}
	own := s.names.key(identity{namespace, part})
	keys := s.inUse(part)
	for _, f := range s.listing.Find(part) {
		if key := s.names.keyOf(&f); !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	switch {
	case slices.Contains(keys, own) || len(keys) == 0:
		return own
	case len(keys) == 1:
		return keys[0]
	}
	return s.names.key(identity{ambiguous, part})
}

// partKeys returns the keys of an ensemble's steps' models.
func (s *state) partKeys(ensemble string, parts []string) []string {
	if !s.names.namespacing {
		return parts
	}
	keys, namespace := make([]string, len(parts)), s.names.identity(ensemble).namespace
	for i, part := range parts {
		keys[i] = s.partKey(namespace, part)
	}
	return keys
}

// partsOf returns the last known parts of an ensemble.
func (s *state) partsOf(key string) []string {
	if e := s.models.entries[key]; e != nil {
		return s.partKeys(key, e.parts)
	}
	return nil
}

// partUnloaded reports whether an ensemble does not serve because a model of its steps was unloaded by its
// name. A part that failed to load, or was never loaded, is another reason.
func (s *state) partUnloaded(e *entry) bool {
	return len(e.serving) == 0 && slices.ContainsFunc(s.partsOf(e.name), func(part string) bool {
		p := s.models.entries[part]
		return p != nil && p.known && !p.wanted && p.failed == nil && len(p.serving) == 0
	})
}

// waitsForTrust reports whether the newest load of a model was refused only because code is not trusted.
// It is so for an ensemble if each of its parts that failed waits for trust.
func (s *state) waitsForTrust(e *entry) bool { return s.waitsBelow(e, map[*entry]bool{}) }

func (s *state) waitsBelow(e *entry, seen map[*entry]bool) bool {
	if e.failed == nil || seen[e] {
		return false // a circle of ensembles waits for nothing
	}
	seen[e] = true
	if e.failed.untrusted || e.failed.stage != dependency {
		return e.failed.untrusted
	}
	waits := false
	for _, part := range s.partsOf(e.name) {
		p := s.models.entries[part]
		if p != nil && p.failed == nil && len(p.serving) > 0 {
			continue
		}
		if p == nil || !seen[p] && !s.waitsBelow(p, seen) {
			return false
		}
		waits = true
	}
	return waits
}

// madeOf returns the wanted ensembles that are made of a model.
func (s *state) madeOf(part string) (list []string) {
	for ensemble := range s.models.users[s.names.identity(part).name] {
		if e := s.models.entries[ensemble]; e.wanted && slices.Contains(s.partKeys(ensemble, e.parts), part) {
			list = append(list, ensemble)
		}
	}
	return list
}

// neededBesides reports whether another wanted ensemble is made of the part.
func (s *state) neededBesides(part, ensemble string) bool {
	return slices.ContainsFunc(s.madeOf(part), func(other string) bool { return other != ensemble })
}

// orphans returns the models of an ensemble's steps that nobody requested by name and that no other
// wanted ensemble uses (docs/triton/ensembles.md, "Loading and unloading").
func (s *state) orphans(ensemble string, parts []string) (list []string) {
	for _, part := range parts {
		e := s.models.entries[part]
		if e == nil || e.explicit || s.neededBesides(part, ensemble) {
			continue
		}
		list = append(list, part)
	}
	return list
}

// held returns why a model that is missing in its repository keeps serving; "" when it was removed.
func (s *state) held(key string) string {
	if e := s.models.entries[key]; e != nil {
		return s.roots.held(e.root)
	}
	return ""
}

// follows reports whether a loaded model follows its files.
func (s *state) follows(key string) bool {
	switch s.mode {
	case Poll:
		return true
	case Explicit:
		return s.reloadOf(key) == OnSave
	}
	return false
}

// reloadOf returns what happens in explicit mode when a model's files change.
func (s *state) reloadOf(key string) Reload {
	if e := s.models.entries[key]; e != nil && e.reload != "" {
		return e.reload
	}
	return s.reload
}

// changeOf returns the order for a change of a model's folders, if one is needed. found has more than
// one folder when repositories share the name. Triton then unloads the model in poll mode, and leaves
// it otherwise (docs/triton/repository.md, "Several repositories").
func (s *state) changeOf(key string, found []Found) (order, bool) {
	e := s.models.entries[key]
	if s.mode == Explicit && (e == nil || !e.wanted) {
		return order{}, false
	}
	shared := e != nil && e.failed != nil && strings.HasPrefix(e.failed.text(), notUnique)
	switch {
	case len(found) > 1 && s.mode == Poll && e != nil && len(e.serving) > 0:
		return order{action: unload}, !s.orders.underWay(key, unload)
	case len(found) > 1:
		return order{action: loadModel}, !shared
	}
	now := lookAt(&found[0], s.models.changesOfImports(key), "")
	if t := s.orders.newest(key); t != nil && t.order.action == loadModel {
		return order{action: loadModel}, now != t.disk
	}
	return order{action: loadModel}, e == nil || shared || now != e.disk
}

// look returns the look of a model's folder.
func (s *state) look(l *Listing, key string) look {
	if found := s.names.find(l, key); len(found) == 1 {
		return lookAt(&found[0], s.models.changesOfImports(key), "")
	}
	return look{}
}

// isGone reports whether a model that is in no listing must be unloaded. It must not if it was
// loaded from a client's files, if its repository is missing, or if it is already being unloaded.
func (s *state) isGone(key string, e *entry) bool {
	newest := s.orders.newest(key)
	if newest == nil && (len(e.serving) == 0 || e.given) || s.held(key) != "" {
		return false
	}
	return newest == nil || newest.order.given == nil && newest.order.action != unload
}

// isOrdered reports whether an order for an ensemble waits for its turn, or will come because its
// files have changed.
func (s *state) isOrdered(n *node) bool {
	if s.orders.pending(n.name) || s.orders.coming[n.name] > 0 {
		return true
	}
	found := s.names.find(n.listing, n.name)
	if n.listing == s.followed || len(found) == 0 || !s.follows(n.name) {
		return false
	}
	_, due := s.changeOf(n.name, found)
	return due
}
