package model

import (
	"fmt"
	"time"
)

// progressEvery is how often people are told how far a load is: not of each of a thousand instances.
const progressEvery = 200 * time.Millisecond

// progress tells people what a load does.
type progress struct {
	tell func(string)
	last time.Time
}

// now tells of something that begins.
func (p *progress) now(format string, args ...any) {
	p.last = time.Now()
	p.tell(fmt.Sprintf(format, args...))
}

// step tells of one step of many, now and then.
func (p *progress) step(format string, args ...any) {
	if time.Since(p.last) >= progressEvery {
		p.now(format, args...)
	}
}

// wantedInstances is how many a config asks for.
func (v *Version) wantedInstances() int64 {
	count := int64(0)
	for _, g := range v.Config.InstanceGroup {
		count += int64(max(g.Count, 0)) * int64(len(devicesOf(g, v.backend)))
	}
	return count
}
