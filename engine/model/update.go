package model

import (
	"cmp"
	"context"
	"time"

	"google.golang.org/protobuf/proto"

	"conch/configedit/modelconfig"
)

// Update makes a version whose config differs from a serving version's only in the instance groups. Triton makes such a
// change in place (docs/triton/repository.md, "What a change does"). The new version uses the instances that fit, and makes
// the missing ones. Both versions share the model, its counters and its cached responses. The old version serves as before
// until Adopt; after an error it has lost nothing.
func (l *Loader) Update(ctx context.Context, old *Version, p *Definition, phase func(string)) (*Version, error) {
	old.end.updates.Add(1)
	return l.orLeave(ctx, old.Name, old.Number, func() (*Version, error) {
		defer old.end.updates.Done()
		return l.update(ctx, old, p, phase)
	})
}

func (l *Loader) update(ctx context.Context, old *Version, p *Definition, phase func(string)) (*Version, error) {
	began := time.Now()
	phase("changing instances")
	cfg := proto.Clone(old.Config).(*modelconfig.ModelConfig)
	cfg.InstanceGroup, cfg.VersionPolicy = p.Config.InstanceGroup, p.Config.VersionPolicy
	plan, err := l.place(cfg, old.pool.framework)
	if err := cmp.Or(err, refusedAtLoad(cfg, old.files, old.Number), checkActive(cfg)); err != nil {
		return nil, l.ofList(err, p)
	}
	v := &Version{
		Name: old.Name, Number: old.Number, Namespace: old.Namespace, Config: cfg, files: old.files, folder: old.folder, log: old.log,
		contract: old.contract, labels: old.labels, steps: old.steps, counters: old.counters, called: old.called, imports: old.imports, pool: newPool(old.pool.framework, old.pool), plan: plan,
	}
	v.end.start()
	v.end.before = old.end.ended
	if err := l.makeInstances(ctx, v, phase); err != nil {
		return nil, err
	}
	v.Took = time.Since(began)
	return v, nil
}

// Updates reports whether v was made from old by Update and is not adopted yet.
func (v *Version) Updates(old *Version) bool { return old != nil && v.pool.follows(old.pool) }

// Adopt makes v the owner of what it shares with the version that it was made from. That version keeps only the instances
// that v does not use. Both go on working; requests that are still in the old version end there.
func (v *Version) Adopt() {
	v.pool.adopt()
	v.end.after = v.end.before
}

// Replaced reports whether another version goes on with this one's model and counters.
func (v *Version) Replaced() bool { return v.pool.replaced() }

// signature identifies the groups whose instances can replace each other: they differ only in name and count.
func signature(g *modelconfig.ModelInstanceGroup) string {
	bare := proto.Clone(g).(*modelconfig.ModelInstanceGroup)
	bare.Name, bare.Count = "", 0
	text, err := proto.MarshalOptions{Deterministic: true}.Marshal(bare)
	if err != nil {
		return g.String() // cannot happen: the message was decoded before
	}
	return string(text)
}

// SameModel reports whether versions made from p and from other differ only in their instances.
func (p *Definition) SameModel(other *Definition) bool {
	if p == nil || other == nil || p.Config.GetSequenceBatching() != nil { // sequences belong to instances
		return false
	}
	a := proto.Clone(p.Config).(*modelconfig.ModelConfig)
	b := proto.Clone(other.Config).(*modelconfig.ModelConfig)
	a.VersionPolicy, b.VersionPolicy = nil, nil
	a.InstanceGroup, b.InstanceGroup = nil, nil
	return proto.Equal(a, b)
}
