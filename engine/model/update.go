package model

import (
	"cmp"
	"context"
	"time"

	"google.golang.org/protobuf/proto"

	"conch/configedit/modelconfig"
	"conch/engine/backend"
)

// Update makes a version whose config differs from that of a serving one in its instance groups
// only, as Triton does in place (docs/triton/repository.md, "What a change does"). Instances that
// fit go on in the new version and missing ones are made beside them; the model itself, its
// counters and its cached responses are shared. The old version serves as before until Adopt; after
// an error it has lost nothing.
func (l *Loader) Update(ctx context.Context, old *Version, p *Plan, phase func(string)) (*Version, error) {
	old.updates.Add(1)
	return l.orLeave(ctx, old.Name, old.Number, func() (*Version, error) {
		defer old.updates.Done()
		return l.update(ctx, old, p, phase)
	})
}

func (l *Loader) update(ctx context.Context, old *Version, p *Plan, phase func(string)) (*Version, error) {
	began := time.Now()
	phase("changing instances")
	cfg := proto.Clone(old.Config).(*modelconfig.ModelConfig)
	cfg.InstanceGroup, cfg.VersionPolicy = p.Config.InstanceGroup, p.Config.VersionPolicy
	if err := cmp.Or(refusedAtLoad(cfg, old.files, old.Number), checkInstances(cfg, old.backend)); err != nil {
		return nil, err
	}
	v := &Version{
		Name: old.Name, Number: old.Number, Namespace: old.Namespace, Config: cfg, files: old.files, folder: old.folder, contract: old.contract, labels: old.labels,
		counters: old.counters, resolver: old.resolver, models: old.models, backend: old.backend, changed: l.tellChanged, limiter: l.Limiter, timers: l.Timers, gate: newGate(), ended: make(chan struct{}),
		before: old, borrowed: map[*instance]bool{},
	}
	spec := backend.Spec{
		Name: v.Name, Version: v.Number, ModelDir: p.Source.Dir, VersionDir: old.folder.Dir, File: modelFile(cfg, old.folder), Config: cfg,
		Log: l.Log.With("model", v.Name, "version", v.Number),
	}
	if err := l.makeInstances(ctx, v, spec, phase); err != nil {
		if undo := v.free(); undo != nil {
			l.Log.Warn("freeing instances that are not needed after all", "model", v.Name, "error", undo)
		}
		return nil, err
	}
	v.schedule()
	l.withCache(v)
	v.Took = time.Since(began)
	return v, nil
}

// Updates says whether v was made by Update, and of which version.
func (v *Version) Updates(old *Version) bool { return old != nil && v.before == old }

// Adopt makes v the owner of what it shares with the version it was made from, which keeps only the instances that
// nobody wants any more. Both go on working; requests that are still in the old one end there.
func (v *Version) Adopt() {
	old := v.before
	var unwanted []*instance
	for _, in := range old.instances {
		if !v.borrowed[in] {
			unwanted = append(unwanted, in)
		}
	}
	v.loaded, old.loaded = old.loaded, nil
	old.instances, old.replaced = unwanted, true
	v.after, v.before, v.borrowed = old.ended, nil, nil
}

// Replaced says whether another version goes on with this one's model and counters.
func (v *Version) Replaced() bool { return v.replaced }

// borrow finds an instance of the version before that serves for a place, and is not used for another.
func (v *Version) borrow(p place) *instance {
	if v.before == nil {
		return nil
	}
	wanted := signature(p.group)
	for _, in := range v.before.instances {
		if in.signature == wanted && in.at == p.at && !v.borrowed[in] {
			v.borrowed[in] = true
			return in
		}
	}
	return nil
}

// signature is what two groups have in common whose instances can stand in for each other: all but name and count.
func signature(g *modelconfig.ModelInstanceGroup) string {
	bare := proto.Clone(g).(*modelconfig.ModelInstanceGroup)
	bare.Name, bare.Count = "", 0
	text, err := proto.MarshalOptions{Deterministic: true}.Marshal(bare)
	if err != nil {
		return g.String() // cannot happen to a message that was read
	}
	return string(text)
}

// SameModel says whether a version made from p differs from one made from other in nothing but its instances.
func (p *Plan) SameModel(other *Plan) bool {
	if p == nil || other == nil || p.Config.GetSequenceBatching() != nil { // sequences belong to instances
		return false
	}
	a := proto.Clone(p.Config).(*modelconfig.ModelConfig)
	b := proto.Clone(other.Config).(*modelconfig.ModelConfig)
	a.VersionPolicy, b.VersionPolicy = nil, nil
	a.InstanceGroup, b.InstanceGroup = nil, nil
	return proto.Equal(a, b)
}
