package model

import (
	"context"

	"conch/engine/backend"
	"conch/engine/hostpolicy"
	"conch/engine/placement"
	"conch/engine/sched"
)

// beginning is an instance that is being made.
type beginning struct {
	at      placement.Instance
	policy  hostpolicy.Policy
	license *sched.License // nil where it needs no resources
	make    func(ctx context.Context) (backend.Instance, error)

	done chan struct{}    // closed when what follows is there
	made backend.Instance // nil after an error, and where the pool before has lent one
	err  error
}

// begin borrows an instance, or begins to make one.
func (m *making) begin(ctx context.Context, p placement.Instance) *beginning {
	b := &beginning{at: p, done: make(chan struct{})}
	m.made++
	if m.pool.borrow(p) {
		close(b.done)
		return b
	}
	if b.err = m.prepare(ctx, b); b.err != nil {
		close(b.done)
		return b
	}
	m.told.step("creating instance %d of %d", m.made, m.wanted())
	go func() {
		defer close(b.done)
		if b.made, b.err = b.make(ctx); b.err != nil {
			b.made = nil
			b.release()
		}
	}()
	return b
}

// prepare looks whether there is room for another instance, and gathers what making it needs.
func (m *making) prepare(ctx context.Context, b *beginning) (err error) {
	if err := stillWanted(ctx, m.spec.Name); err != nil {
		return err
	}
	if err := m.room.more(m.spec.Name); err != nil {
		return err
	}
	p := b.at
	if b.policy, err = m.policies.Policy(p.HostPolicy()); err != nil {
		return err
	}
	if b.license, err = m.register(p); err != nil {
		return err
	}
	loaded := m.pool.loaded()
	b.make = func(ctx context.Context) (backend.Instance, error) {
		return makeBound(ctx, loaded, backend.InstanceSpec{Name: p.Name, Kind: p.Kind, Device: p.Device.ID, Policy: b.policy})
	}
	return nil
}

// drop frees an instance that is not needed any more, when it has been made.
func (b *beginning) drop() {
	<-b.done
	if b.made != nil {
		_ = b.made.Close() // the load has failed for another reason
		b.release()
	}
}

func (b *beginning) release() {
	if b.license != nil {
		b.license.Close()
	}
}
