package sched

import (
	"cmp"
	"context"
	"slices"
	"sync/atomic"
)

// Claim is one scheduler's request to run an instance. A scheduler calls Ask, runs the instance, and calls
// Return.
type Claim struct {
	license *License
	granted func()
}

// NewClaim makes a claim that asks for nothing yet.
func (li *License) NewClaim() *Claim { return &Claim{license: li} }

// Ask asks for the instance's resources. It returns true when they are granted at once. Otherwise granted is called
// later, from another goroutine, with no lock held.
func (c *Claim) Ask(granted func()) bool {
	l := c.license.limiter
	l.mu.Lock()
	defer l.mu.Unlock()
	c.granted = granted
	l.asking = append(l.asking, c)
	return slices.Contains(l.grant(), c) // no other claim can be granted here, since no resource became free
}

// Withdraw stops asking. It returns false when the claim was granted meanwhile.
func (c *Claim) Withdraw() bool {
	l := c.license.limiter
	l.mu.Lock()
	at := slices.Index(l.asking, c)
	if at < 0 {
		l.mu.Unlock()
		return false
	}
	l.asking = slices.Delete(l.asking, at, at+1)
	granted := l.grant()
	l.mu.Unlock()
	tell(granted)
	return true
}

// Return returns the resources after the instance ran or found nothing to run.
func (c *Claim) Return(ran bool) {
	l := c.license.limiter
	l.mu.Lock()
	c.release()
	if ran {
		c.license.runs++
	}
	granted := l.grant()
	l.mu.Unlock()
	tell(granted)
}

// Renew returns the resources after a run, and asks for the next run before another claim can get them.
func (c *Claim) Renew(granted func()) {
	l := c.license.limiter
	l.mu.Lock()
	c.release()
	c.license.runs++
	c.granted = granted
	l.asking = append(l.asking, c)
	all := l.grant()
	l.mu.Unlock()
	tell(all)
}

// release returns the claim's resources. The limiter's mu is held.
func (c *Claim) release() {
	l := c.license.limiter
	for at, n := range c.license.wants {
		if l.used[at] -= n; l.used[at] == 0 {
			delete(l.used, at)
		}
	}
}

func tell(granted []*Claim) {
	for _, c := range granted {
		c.granted()
	}
}

// grant removes the claims that may run now from asking. The resources that a claim waits for are reserved: no claim
// behind it gets any of them. l.mu is held.
func (l *Limiter) grant() (granted []*Claim) {
	if len(l.asking) == 0 {
		return nil
	}
	inTurn := slices.Clone(l.asking)
	slices.SortStableFunc(inTurn, func(a, b *Claim) int { return cmp.Compare(a.license.weight(), b.license.weight()) })
	kept := map[place]bool{}
	for _, c := range inTurn {
		if !l.fits(c.license, kept) {
			for at := range c.license.wants {
				kept[at] = true
			}
			continue
		}
		for at, n := range c.license.wants {
			l.used[at] += n
		}
		l.asking = slices.Delete(l.asking, slices.Index(l.asking, c), slices.Index(l.asking, c)+1)
		granted = append(granted, c)
	}
	return granted
}

func (l *Limiter) fits(license *License, kept map[place]bool) bool {
	for at, n := range license.wants {
		if kept[at] || l.used[at]+n > l.limits[at] {
			return false
		}
	}
	return true
}

// weight orders the waiting instances: the smaller is first. The next run counts too, so that priorities have an
// effect from the first run on (seen on Triton 24.10).
func (li *License) weight() int64 { return (li.runs + 1) * li.priority }

// InTurn returns an executor that waits for its resources itself. It is for a scheduler that does not ask the
// limiter. An executor without a license stays as it is.
func InTurn(e Executor) Executor {
	if license := licenseOf(e); license != nil {
		return &inTurn{Executor: e, claim: license.NewClaim()}
	}
	return e
}

type inTurn struct {
	Executor
	claim *Claim
	holds atomic.Bool // the resources, while it runs
}

// Execute waits until the instance may run, or ctx ends.
func (t *inTurn) Execute(ctx context.Context, calls []*Call) {
	granted := make(chan struct{})
	if !t.claim.Ask(func() { close(granted) }) {
		select {
		case <-granted:
		case <-ctx.Done():
			if t.claim.Withdraw() {
				for _, c := range calls {
					c.Fail(Gone(ctx))
				}
				return
			}
			<-granted
		}
	}
	t.holds.Store(true)
	defer t.giveBack()
	t.Executor.Execute(ctx, calls)
}

// giveBack returns the resources of an execution, once. It may be called before an execution that hangs has returned.
func (t *inTurn) giveBack() {
	if t.holds.CompareAndSwap(true, false) {
		t.claim.Return(true)
	}
}
