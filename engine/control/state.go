package control

import (
	"slices"
	"strings"
)

// state is what has to be seen at one moment: what a change on disk asks for depends on the listing,
// on the models, and on the orders under way. A model's newest order is in orders until its outcome is
// in models, so that each change on disk is compared with one of them. core.state guards it.
type state struct {
	names  *names // with mode and reload, never changes
	mode   Mode
	reload Reload

	listing  *Listing // the newest that was acted on
	followed *Listing // the newest that was compared with what was looked at last
	roots    roots
	models   models
	orders   orders
	access   Access

	started   bool
	restoring bool // the models of the process before are still being asked for
	closing   bool
}

// settled says whether the start is over, with what was asked for after it.
func (s *state) settled() bool { return s.started && !s.restoring }

// dropUnknown forgets a name that was asked for and that is no model, so that names that clients
// invent take no memory.
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

// inUse are the keys of the models of a name that somebody wants or that serve.
func (s *state) inUse(name string) (keys []string) {
	for _, key := range s.names.called(name) {
		if e := s.models.entries[key]; e != nil && (e.wanted || len(e.serving) > 0) {
			keys = append(keys, key)
		}
	}
	return keys
}

// ambiguous is the namespace of what a step names when several other namespaces have it: no model is there.
const ambiguous = "(ambiguous)"

// partKey is the model that a step of an ensemble means: the one in the ensemble's own namespace, or
// the only one there is.
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

// partKeys are the models that an ensemble's steps mean.
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

// partsOf are the models that an ensemble was last known to be made of.
func (s *state) partsOf(key string) []string {
	if e := s.models.entries[key]; e != nil {
		return s.partKeys(key, e.parts)
	}
	return nil
}

// madeOf are the wanted ensembles that are made of a model.
func (s *state) madeOf(part string) (list []string) {
	for ensemble := range s.models.users[s.names.identity(part).name] {
		if e := s.models.entries[ensemble]; e.wanted && slices.Contains(s.partKeys(ensemble, e.parts), part) {
			list = append(list, ensemble)
		}
	}
	return list
}

// neededBesides says whether a wanted ensemble other than this one is made of the part.
func (s *state) neededBesides(part, ensemble string) bool {
	return slices.ContainsFunc(s.madeOf(part), func(other string) bool { return other != ensemble })
}

// orphans are the models of an ensemble's steps that nobody asked for by name and that no other wanted
// ensemble uses (docs/triton/ensembles.md, "Loading and unloading").
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

// held says why a model that is not in its repository keeps serving; "" when it was removed.
func (s *state) held(key string) string {
	if e := s.models.entries[key]; e != nil {
		return s.roots.held(e.root)
	}
	return ""
}

// follows says whether a model that was loaded follows its files.
func (s *state) follows(key string) bool {
	switch s.mode {
	case Poll:
		return true
	case Explicit:
		return s.reloadOf(key) == OnSave
	}
	return false
}

// reloadOf is what happens in explicit mode when a model's files change.
func (s *state) reloadOf(key string) Reload {
	if e := s.models.entries[key]; e != nil && e.reload != "" {
		return e.reload
	}
	return s.reload
}

// changeOf says what a change of a model's folders asks for, if anything. found has more than one
// folder where repositories share the name: Triton then unloads the model when it polls, and otherwise
// leaves it (docs/triton/repository.md, "Several repositories").
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
	now := lookAt(&found[0], "")
	if t := s.orders.newest(key); t != nil && t.order.action == loadModel {
		return order{action: loadModel}, now != t.disk
	}
	return order{action: loadModel}, e == nil || shared || now != e.disk
}

// isGone says whether a model that is in no listing is still there, and not because of a client's
// files or since its repository is away, and nobody unloads it yet.
func (s *state) isGone(key string, e *entry) bool {
	newest := s.orders.newest(key)
	if newest == nil && (len(e.serving) == 0 || e.given) || s.held(key) != "" {
		return false
	}
	return newest == nil || newest.order.given == nil && newest.order.action != unload
}

// isOrdered says whether an order for an ensemble waits for its turn, or will come since its files
// have changed.
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
