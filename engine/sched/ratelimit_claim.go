package sched

import (
	"cmp"
	"context"
	"slices"
)

// Claim is one scheduler's wish to run an instance. A scheduler asks, runs and returns, one after the other.
type Claim struct {
	license *License
	granted func()
}

// NewClaim makes a claim that asks for nothing yet.
func (li *License) NewClaim() *Claim { return &Claim{license: li} }

// Ask asks for what the instance needs. It is true when that is granted at once; otherwise granted is called when it is,
// from somewhere else, with no lock held.
func (c *Claim) Ask(granted func()) bool {
	l := c.license.limiter
	l.mu.Lock()
	defer l.mu.Unlock()
	c.granted = granted
	l.asking = append(l.asking, c)
	return slices.Contains(l.grant(), c) // nobody else can have been granted anything by that: what there is has not grown
}

// Withdraw stops asking; false when it was granted meanwhile.
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

// Return gives back what was granted, after the instance ran or found nothing to run.
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

// Renew gives back what was granted, after a run, and asks for the next one before anybody else can get it.
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

// release gives back what the claim holds. The limiter's mu is held.
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

// grant takes those who may run now out of asking. What one of them waits for is kept for it: none behind it gets any of
// that. l.mu is held.
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

// weight orders those who wait: the smaller is first. The run that is about to begin counts, so that priorities tell from the first on
// (seen on Triton 24.10).
func (li *License) weight() int64 { return (li.runs + 1) * li.priority }

// InTurn makes an executor wait for its turn by itself, for a scheduler that hands it a batch whatever the limiter says. One
// without a license stays as it is.
func InTurn(e Executor) Executor {
	if license := licenseOf(e); license != nil {
		return inTurn{Executor: e, claim: license.NewClaim()}
	}
	return e
}

type inTurn struct {
	Executor
	claim *Claim
}

// Execute waits until the instance may run, or ctx ends.
func (t inTurn) Execute(ctx context.Context, calls []*Call) {
	granted := make(chan struct{})
	if !t.claim.Ask(func() { close(granted) }) {
		select {
		case <-granted:
		case <-ctx.Done():
			if t.claim.Withdraw() {
				for _, c := range calls {
					c.Fail(gone(ctx))
				}
				return
			}
			<-granted
		}
	}
	defer t.claim.Return(true)
	t.Executor.Execute(ctx, calls)
}
