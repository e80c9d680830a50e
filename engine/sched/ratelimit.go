package sched

import (
	"sync"

	"conch/configedit/rule"
	"conch/engine/infer"
)

// Limiter is Triton's rate limiter (docs/triton/schedulers.md, "Rate limiter"): an instance runs
// when the resources that it asks for are free, and of those that wait, the one with the fewest
// executions times priority is first. There is one limiter for all models.
//
// It differs from Triton in one thing: an instance that waits holds up only those behind it that
// want something of what it waits for, not all.
type Limiter struct {
	given []Supply

	mu       sync.Mutex // guards what follows, and the executions of the licenses
	licensed map[*License]bool
	limits   map[place]int64
	used     map[place]int64
	asking   []*Claim // in the order in which they asked
}

// AnyDevice is the device of a Supply that each device has.
const AnyDevice = -1

// Supply says how many units of a resource there are: --rate-limit-resource. Where none is given at all, there are as
// many of each as the neediest instance asks for; otherwise there is nothing of what is not given.
type Supply struct {
	Name   string
	Count  int64
	Device int // AnyDevice for each of them; it means nothing to a global resource
}

// Demand is what an instance must hold while it runs, and its weight (docs/triton/schedulers.md,
// "Rate limiter").
type Demand struct {
	Resources []Resource
	Priority  uint32 // 2 runs half as often as 1; 0 counts as 1
	Device    int
}

// Resource is a number of units of something.
type Resource struct {
	Name   string
	Count  int64
	Global bool // one stock for all devices
}

// place is a stock of a resource.
type place struct {
	name   string
	device int // global for the stock of all
}

const global = -2

// NewLimiter makes a limiter of what the server was given.
func NewLimiter(given []Supply) *Limiter {
	return &Limiter{given: given, licensed: map[*License]bool{}, used: map[place]int64{}}
}

// License is what an instance runs under. It is the instance's as long as that lives.
type License struct {
	limiter  *Limiter
	wants    map[place]int64
	priority int64
	runs     int64 // so far
}

// Limited is an optional ability of an Executor: it runs under a license. Nil means that it needs none.
type Limited interface {
	License() *License
}

func licenseOf(e Executor) *License {
	if l, ok := e.(Limited); ok {
		return l.License()
	}
	return nil
}

// Register lets an instance take part. The error says, in Triton's words, that it could never run
// (rules L21 and L22; docs/triton/schedulers.md, "Rate limiter").
func (l *Limiter) Register(d Demand) (*License, error) {
	license := &License{limiter: l, wants: map[place]int64{}, priority: int64(max(d.Priority, 1))}
	for _, r := range d.Resources {
		at := place{r.Name, d.Device}
		if r.Global {
			at.device = global
		}
		license.wants[at] = max(license.wants[at], r.Count)
	}
	granted, err := l.admit(license)
	if err != nil {
		return nil, err
	}
	tell(granted)
	return license, nil
}

// admit counts a license in. There may be more of something afterwards.
func (l *Limiter) admit(license *License) (granted []*Claim, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.licensed[license] = true
	limits, err := l.count()
	if err != nil {
		delete(l.licensed, license)
		return nil, err
	}
	l.limits = limits
	return l.grant(), nil
}

// Close is the end of the instance. It holds nothing and asks for nothing.
func (li *License) Close() {
	l := li.limiter
	l.mu.Lock()
	delete(l.licensed, li)
	if limits, err := l.count(); err == nil { // fewer instances make no new error
		l.limits = limits
	}
	granted := l.grant()
	l.mu.Unlock()
	tell(granted)
}

// count says how much there is of everything that is asked for. l.mu is held.
func (l *Limiter) count() (map[place]int64, error) {
	limits := map[place]int64{}
	for license := range l.licensed {
		for at, n := range license.wants {
			limits[at] = max(limits[at], n)
		}
	}
	for at := range limits {
		if at.device != global && has(limits, place{at.name, global}) {
			return nil, infer.Refused(rule.L21, at.name)
		}
	}
	if len(l.given) == 0 {
		return limits, nil
	}
	for at, needed := range limits {
		there := l.supply(at)
		if there < needed {
			return nil, infer.Errorf(infer.InvalidArg, "Resource count for \"%s\" is limited to %d which will prevent scheduling of one or more "+
				"model instances, the minimum required count is %d", at.name, there, needed)
		}
		limits[at] = there
	}
	return limits, nil
}

func has(m map[place]int64, at place) bool {
	_, ok := m[at]
	return ok
}

// supply is the largest of what was given for a place. Of two that name the same device, Triton takes the smaller.
func (l *Limiter) supply(at place) int64 {
	least := map[int]int64{}
	for _, s := range l.given {
		if s.Name != at.name || at.device != global && s.Device != at.device && s.Device != AnyDevice {
			continue
		}
		if n, twice := least[s.Device]; !twice || s.Count < n {
			least[s.Device] = s.Count
		}
	}
	most := int64(0)
	for _, n := range least {
		most = max(most, n)
	}
	return most
}
