package sched

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"

	"conch/configedit/rule"
	"conch/engine/infer"
)

// Limiter is Triton's rate limiter (docs/triton/schedulers.md, "Rate limiter"): an instance runs
// when the resources that it asks for are free. Of the waiting instances, the one with the lowest
// product of executions and priority is first. There is one limiter for all models.
//
// It differs from Triton in one thing: a waiting instance holds up only the instances behind it
// that want one of its resources, not all.
type Limiter struct {
	given []Supply

	mu       sync.Mutex // guards the fields below, and the execution counts of the licenses
	licensed map[*License]bool
	limits   map[place]int64
	used     map[place]int64
	asking   []*Claim // in the order in which they asked
}

// AnyDevice is the device of a Supply that holds for each device.
const AnyDevice = -1

// Supply says how many units of a resource there are: --rate-limit-resource. Without any supply, there are as many
// units of each resource as the instance with the largest demand asks for. Otherwise a resource without a supply has
// no units.
type Supply struct {
	Name   string
	Count  int64
	Device int // AnyDevice for each of them; ignored for a global resource
}

// Demand is what an instance must hold while it runs, and its weight (docs/triton/schedulers.md,
// "Rate limiter").
type Demand struct {
	Resources []Resource
	Priority  uint32 // 2 runs half as often as 1; 0 counts as 1
	Device    int
}

// Resource is a number of units of a resource.
type Resource struct {
	Name   string
	Count  int64
	Global bool // one stock for all devices
}

// place is a resource on a device.
type place struct {
	name   string
	device int // global for the stock of all
}

const global = -2

// NewLimiter returns a limiter with the supplies of the server's flags.
func NewLimiter(given []Supply) *Limiter {
	return &Limiter{given: given, licensed: map[*License]bool{}, used: map[place]int64{}}
}

// License lets an instance run under the limiter. An instance keeps its license as long as it
// exists.
type License struct {
	limiter  *Limiter
	wants    map[place]int64
	priority int64
	runs     int64 // so far
}

// Limited is an optional interface of an Executor that runs under a license. Nil means that it needs
// none.
type Limited interface {
	License() *License
}

func licenseOf(e Executor) *License {
	if l, ok := e.(Limited); ok {
		return l.License()
	}
	return nil
}

// Register adds an instance to the limiter. The error says, in Triton's words, that the instance
// could never run (rules L21 and L22; docs/triton/schedulers.md, "Rate limiter").
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

// admit adds a license. There may be more units of a resource afterwards.
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

// Close removes the instance's license. The instance must hold nothing and ask for nothing.
func (li *License) Close() {
	l := li.limiter
	l.mu.Lock()
	delete(l.licensed, li)
	if limits, err := l.count(); err == nil { // with fewer instances there is no new error
		l.limits = limits
	}
	granted := l.grant()
	l.mu.Unlock()
	tell(granted)
}

// count returns how many units there are of each resource that an instance asks for. Like Triton, it looks first whether
// the supplies suffice, and then whether a resource is both global and of a device. l.mu is held.
func (l *Limiter) count() (map[place]int64, error) {
	limits := map[place]int64{}
	for license := range l.licensed {
		for at, n := range license.wants {
			limits[at] = max(limits[at], n)
		}
	}
	places := slices.SortedFunc(maps.Keys(limits), inOrder)
	if len(l.given) > 0 {
		for _, at := range places {
			there, needed := l.supply(at), limits[at]
			if there < needed {
				return nil, infer.Errorf(infer.InvalidArg, "Resource count for \"%s\" is limited to %d which will prevent scheduling of one or more "+
					"model instances, the minimum required count is %d", at.name, there, needed)
			}
			limits[at] = there
		}
	}
	for _, at := range places {
		if at.device != global && has(limits, place{at.name, global}) {
			return nil, infer.Refused(rule.L21, at.name)
		}
	}
	return limits, nil
}

// inOrder is the order in which Triton looks at resources: the global ones, then those of each device, by name.
func inOrder(a, b place) int {
	return cmp.Or(cmp.Compare(a.device, b.device), strings.Compare(a.name, b.name))
}

func has(m map[place]int64, at place) bool {
	_, ok := m[at]
	return ok
}

// supply returns the largest supply for a place. Of two supplies that name the same device, Triton takes the
// smaller.
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
