package model

import (
	"time"

	"conch/engine/backend"
	"conch/engine/infer"
	"conch/engine/sched"
)

// How long an unload waits for one execution before it interrupts it, and how long after that before it gives it up. What a
// model is known to take is waited for ten times over.
const (
	patience     = time.Minute
	grace        = 5 * time.Second
	knownTimes   = 10
	lookAfterAll = time.Second // how often is looked
)

// giverUp is a scheduler that can go on without an instance that does not come back.
type giverUp interface {
	GiveUp(e sched.Executor, err error)
}

// Close drains and frees everything. It is called once. What does not come back from its framework is given up after a while:
// Close returns, and what it holds is freed when it comes back after all.
func (v *Version) Close() error {
	lost := v.drain()
	if lost == nil {
		lost = v.await(v.after, "an execution of an earlier state of model '%s' does not come back: its memory stays in use")
	}
	updated := make(chan struct{})
	go func() {
		defer close(updated)
		v.updates.Wait()
	}()
	if lost == nil {
		lost = v.await(updated, "a change of the instances of model '%s' does not come back: its memory stays in use")
	}
	if lost == nil {
		defer close(v.ended)
		return v.free()
	}
	go func() {
		defer close(v.ended)
		<-v.gate.empty
		<-updated
		if err := v.free(); err != nil && len(v.instances) > 0 {
			v.instances[0].log.Warn("freeing what had been given up", "error", err)
		}
	}()
	return lost
}

// drain lets nobody in any more and waits for those inside, but not for ever. The error says what was given up.
func (v *Version) drain() error {
	v.gate.shut()
	d := drain{version: v, began: time.Now(), interrupted: map[*instance]time.Time{}, lost: map[*instance]bool{}}
	look := time.NewTicker(lookAfterAll)
	defer look.Stop()
	for {
		select {
		case <-v.gate.empty:
			return nil
		case now := <-look.C:
			if err := d.look(now); err != nil {
				return err
			}
		}
	}
}

// drain is the wait for those inside.
type drain struct {
	version     *Version
	began       time.Time
	interrupted map[*instance]time.Time
	lost        map[*instance]bool
}

// look gives up what takes too long. It gives an error when nothing else is inside.
func (d *drain) look(now time.Time) error {
	v := d.version
	for _, in := range v.instances {
		if !d.lost[in] && d.hangs(in, now) {
			d.lost[in] = true
			d.giveUp(in)
		}
		if since, usual := in.open.silence(); d.overdue(since, usual, now) {
			in.open.fail(notAnswering(in))
		}
	}
	if n := len(d.lost); n > 0 && v.gate.count() <= int64(n) {
		return infer.Errorf(infer.Internal, "%d of %d instances of model '%s' version %d did not come back from their framework and were given up",
			n, len(v.instances), v.Name, v.Number)
	}
	if v.ensemble != nil && now.Sub(d.began) > patience+2*grace {
		return infer.Errorf(infer.Internal, "%d requests of ensemble '%s' hang in its steps and were given up", v.gate.count(), v.Name)
	}
	return nil
}

// overdue says whether something has lasted too long: more than the patience, and than ten times what is usual.
func (d *drain) overdue(since time.Time, usual time.Duration, now time.Time) bool {
	if since.IsZero() {
		return false
	}
	if since.Before(d.began) {
		since = d.began
	}
	return now.Sub(since) >= max(patience, knownTimes*usual)
}

// hangs says whether an execution was interrupted and did not come back after that, either.
func (d *drain) hangs(in *instance, now time.Time) bool {
	since, longest := in.running()
	if !d.overdue(since, longest, now) {
		return false
	}
	if at, ok := d.interrupted[in]; ok {
		return now.Sub(at) >= grace
	}
	d.interrupted[in] = now
	if i, ok := in.part().(backend.Interrupter); ok {
		in.log.Warn("interrupting an execution that keeps a model from being unloaded", "instance", in.name, "running_for", now.Sub(since))
		i.Interrupt()
	}
	return false
}

// giveUp marks an instance as lost.
func (d *drain) giveUp(in *instance) {
	in.log.Error("an execution does not come back: the instance is lost, and so is the memory of its model until it does", "instance", in.name)
	if s, ok := d.version.base.(giverUp); ok {
		s.GiveUp(in, notAnswering(in))
	}
}

func notAnswering(in *instance) error {
	return infer.Errorf(infer.Internal, "model instance %s does not answer and was given up", in.name)
}

// await waits for somebody else who may use the same instances, but not for ever: the version that v was made from, or one
// that is being made from v.
func (v *Version) await(end <-chan struct{}, otherwise string) error {
	if end == nil {
		return nil
	}
	late := time.NewTimer(patience + 2*grace)
	defer late.Stop()
	select {
	case <-end:
		return nil
	case <-late.C:
		return infer.Errorf(infer.Internal, otherwise, v.Name)
	}
}
