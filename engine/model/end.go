package model

import (
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"conch/engine/backend"
	"conch/engine/infer"
	"conch/engine/sched"
)

// How long an unload waits for one execution before it interrupts it, and how long after that before it gives it up. An
// execution of a model whose run time is known may take ten times that. An unload also waits for the patience for clients
// that take no answer.
const (
	patience   = time.Minute
	grace      = 5 * time.Second
	knownTimes = 10
	lookEvery  = time.Second
)

// end is how a version ends: it drains, waits for other versions that use its instances, and is freed.
type end struct {
	gate    gate
	before  <-chan struct{} // closed when the version has ended that this one was made from; nil without one
	after   <-chan struct{} // before, once its instances are adopted: this version ends after that one
	ended   chan struct{}   // closed when this version has ended
	updates sync.WaitGroup  // versions that are being made from this one
}

// start prepares the end of a version that begins.
func (e *end) start() {
	e.gate.empty, e.ended = make(chan struct{}), make(chan struct{})
}

// close drains and frees. It gives up what takes too long: then it returns an error, and the memory is freed when the last
// execution returns.
func (e *end) close(d *drain) error {
	updated := make(chan struct{})
	go func() {
		defer close(updated)
		e.updates.Wait()
	}()
	lost := d.run(&e.gate)
	if lost == nil {
		lost = d.await(e.after, "an execution of an earlier state of model '%s' does not return: its memory stays in use")
	}
	if lost == nil {
		lost = d.await(updated, "a change of the instances of model '%s' does not return: its memory stays in use")
	}
	if lost == nil {
		defer close(e.ended)
		return d.pool.free()
	}
	go func() {
		defer close(e.ended)
		<-e.gate.empty
		<-updated
		e.waitForBefore()
		if err := d.pool.free(); err != nil {
			d.log.Warn("a model was unloaded, but its memory could not be freed", "error", err)
		}
	}()
	return lost
}

// waitForBefore waits until the version before has ended, which may still run requests on the same instances.
func (e *end) waitForBefore() {
	if e.after != nil {
		<-e.after
	}
}

// drain is the wait for the requests that are inside a version.
type drain struct {
	name        string
	number      int64
	ensemble    bool
	pool        *pool
	log         *slog.Logger
	began       time.Time
	interrupted map[*instance]time.Time // when, last
	lost        map[*instance]bool
	handing     *handing
	running     *atomic.Int64
	taken       int64     // answers that clients had taken at the last look
	unread      time.Time // since when no client took any; zero while something else is inside
	kept        time.Time // since when no request that is inside has run; zero while one does
}

// run lets no more requests in and waits for those inside, but not for ever. The error says what was given up.
func (d *drain) run(g *gate) error {
	g.shut()
	d.began = time.Now()
	for _, in := range d.pool.owned() {
		in.revival.retire()
	}
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		select {
		case <-g.empty:
			return nil
		case now := <-look.C:
			if err := d.look(now, g.count()); err != nil {
				return err
			}
		}
	}
}

// look gives up what takes too long. It returns an error when nothing else is inside.
func (d *drain) look(now time.Time, inside int64) error {
	instances := d.pool.all()
	for _, in := range instances {
		if !d.lost[in] && d.hangs(in, now) {
			d.lost[in] = true
			d.giveUp(in)
		}
		if since, usual := in.open.silence(); d.overdue(since, usual, now) {
			in.open.fail(notAnswering(in))
		}
	}
	running := d.running.Load()
	if len(d.lost) > 0 && running <= d.stuck() {
		return infer.Errorf(infer.Internal, "%d of %d instances of model '%s' version %d did not return from their framework and were given up",
			len(d.lost), len(instances), d.name, d.number)
	}
	if clients := d.deaf(now, running); clients > 0 {
		return infer.Errorf(infer.Internal, "%d clients of model '%s' version %d do not take their answers and were given up", clients, d.name, d.number)
	}
	if running > 0 {
		d.kept = time.Time{}
	} else if d.kept.IsZero() {
		d.kept = now
	}
	const long = patience + 2*grace
	switch {
	case d.ensemble && now.Sub(d.began) > long:
		return infer.Errorf(infer.Internal, "%d requests of ensemble '%s' hang in its steps and were given up", inside, d.name)
	case running == 0 && now.Sub(d.kept) > long:
		return infer.Errorf(infer.Internal, "%d requests that keep model '%s' version %d for an ensemble run or wait elsewhere and were given up", inside, d.name, d.number)
	}
	return nil
}

// deaf returns how many clients keep the version because they take no answer; 0 while it waits for anything else, too.
func (d *drain) deaf(now time.Time, running int64) int64 {
	clients, taken := d.handing.open()
	switch {
	case clients == 0 || running > clients+d.stuck():
		d.unread = time.Time{}
	case d.unread.IsZero() || taken != d.taken:
		d.unread, d.taken = now, taken
	case now.Sub(d.unread) >= patience:
		return clients
	}
	return 0
}

// stuck returns how many requests' goroutines are in instances that were given up. One is in an instance that is not eager.
func (d *drain) stuck() (n int64) {
	for in := range d.lost {
		n += max(in.taken.Load(), 1)
	}
	return n
}

// overdue reports whether something has lasted too long: more than the patience, and more than ten times what is usual.
func (d *drain) overdue(since time.Time, usual time.Duration, now time.Time) bool {
	if since.IsZero() {
		return false
	}
	if since.Before(d.began) {
		since = d.began
	}
	return now.Sub(since) >= max(patience, knownTimes*usual)
}

// hangs reports whether an execution was interrupted and did not return after that, either.
func (d *drain) hangs(in *instance, now time.Time) bool {
	since, longest := in.running()
	if !d.overdue(since, longest, now) || in.debugged() {
		return false
	}
	if began := since.UnixNano(); in.stopped.Swap(began) == began {
		return now.Sub(d.interrupted[in]) >= grace
	}
	d.interrupted[in] = now
	if i, ok := in.part().(backend.Interrupter); ok {
		in.log.Warn("interrupting an execution that keeps a model from being unloaded", "instance", in.name, "running_for", now.Sub(since))
		i.Interrupt()
	}
	return false
}

// giverUp is a scheduler that can continue without an instance that does not return.
type giverUp interface {
	GiveUp(e sched.Executor, err error)
}

// giveUp lets the scheduler continue without an instance.
func (d *drain) giveUp(in *instance) {
	in.log.Error("an execution does not return: its instance gets no more requests, and the memory of its model stays in use until it returns", "instance", in.name)
	if s, ok := d.pool.scheduler.(giverUp); ok {
		s.GiveUp(in, notAnswering(in))
	}
}

func notAnswering(in *instance) error {
	return infer.Errorf(infer.Internal, "model instance %s does not answer and was given up", in.name)
}

// await waits until end is closed, but not for ever; a nil end is not waited for. otherwise is the error, with a place for
// the model's name.
func (d *drain) await(end <-chan struct{}, otherwise string) error {
	if end == nil {
		return nil
	}
	late := time.NewTimer(patience + 2*grace)
	defer late.Stop()
	select {
	case <-end:
		return nil
	case <-late.C:
		return infer.Errorf(infer.Internal, otherwise, d.name)
	}
}
