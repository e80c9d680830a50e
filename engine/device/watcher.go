package device

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"conch/engine/gpulost"
)

// library is where GPUs are read. One goroutine uses it.
type library interface {
	// open prepares it. errAbsent means that there is no driver.
	open() error
	// read returns what the GPUs do. After an error the library is closed and opened again.
	read() (Snapshot, error)
	close()
}

// errAbsent says that the machine has no driver.
var errAbsent = errors.New("there is no GPU driver")

// errGone says that the machine has no driver any more.
var errGone = errors.New("their driver is gone")

// hangs is told of a driver that does not answer. It does not say for how long: some who get it keep it, such as a model
// that is not on a GPU for this reason, and one that changes is told to everybody again.
const hangs = "The GPU driver does not answer. A restart of the machine may be needed."

const (
	// tooLong is after how long an answer is old: the driver hangs.
	tooLong = 10 * time.Second
	// tryAgain is the time between attempts to open a library that is absent or failed.
	tryAgain = 30 * time.Second
)

// Watcher reads the GPUs of this machine again and again.
type Watcher struct {
	last  atomic.Pointer[Snapshot]
	asks  chan chan struct{} // for a reading now; the reader closes what it gets
	ended chan struct{}      // closed when nothing is read any more
	asked atomic.Int64       // since when the driver is asked, in nanoseconds of Unix time; 0 when it is not
	log   *slog.Logger
	// used is the energy of each GPU when it was first read, by UUID. The watcher's goroutine alone uses it.
	used map[string]float64
	// seen is true when there were GPUs once. It is the goroutine's, too.
	seen bool
}

// Watch reads the GPUs now and then every interval, until ctx ends. It returns at once.
func Watch(ctx context.Context, by Reader, every time.Duration, log *slog.Logger) *Watcher {
	return watch(ctx, libraryBy(by), every, log)
}

func watch(ctx context.Context, l library, every time.Duration, log *slog.Logger) *Watcher {
	w := &Watcher{log: log, used: map[string]float64{}, asks: make(chan chan struct{}), ended: make(chan struct{})}
	w.last.Store(&Snapshot{})
	w.asked.Store(time.Now().UnixNano())
	go w.run(ctx, l, every)
	return w
}

// Snapshot returns the last answer of the driver. It never waits.
func (w *Watcher) Snapshot() Snapshot {
	s := *w.last.Load()
	if w.waits() >= tooLong && s.Trouble == "" {
		s.Trouble = hangs
	}
	return s
}

// waits is how long the driver has been asked; 0 when it is not.
func (w *Watcher) waits() time.Duration {
	if asked := w.asked.Load(); asked > 0 {
		return time.Since(time.Unix(0, asked))
	}
	return 0
}

// Known returns the last answer of the driver, and waits for the first one. A driver that hangs is not waited for.
func (w *Watcher) Known() Snapshot {
	if w.last.Load().At.IsZero() {
		return w.Fresh()
	}
	return w.Snapshot()
}

// Fresh has the GPUs read now and returns the answer. Of a driver that hangs it returns the last one; where it is known to hang, at once.
func (w *Watcher) Fresh() Snapshot {
	patience := time.NewTimer(tooLong - min(w.waits(), tooLong))
	defer patience.Stop()
	read := make(chan struct{})
	for asks := w.asks; ; asks = nil {
		select {
		case asks <- read:
			continue
		case <-read:
		case <-w.ended:
		case <-patience.C:
		}
		return w.Snapshot()
	}
}

func (w *Watcher) run(ctx context.Context, l library, every time.Duration) {
	open := false
	defer close(w.ended)
	defer func() {
		if open {
			l.close()
		}
	}()
	for read := make(chan struct{}); ; {
		w.asked.Store(time.Now().UnixNano())
		silence := time.AfterFunc(tooLong, func() { w.log.Warn(hangs, "seconds", int(tooLong.Seconds())) })
		wait := every
		if !open {
			open = w.open(l)
		}
		if open {
			open = w.read(l)
		}
		silence.Stop()
		w.asked.Store(0)
		close(read)
		read = make(chan struct{})
		if !open {
			wait = max(every, tryAgain)
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		case read = <-w.asks:
			timer.Stop()
		}
	}
}

func (w *Watcher) open(l library) bool {
	err := l.open()
	switch {
	case err == nil:
		return true
	case errors.Is(err, errAbsent) && w.seen:
		w.fails(errGone)
	case errors.Is(err, errAbsent):
		w.last.Store(&Snapshot{At: time.Now()})
	default:
		w.fails(err)
	}
	return false
}

// read asks the library. One answer that fails is asked for again, with the library opened again: until the next try, models would be loaded without GPUs.
func (w *Watcher) read(l library) bool {
	s, err := l.read()
	if err != nil {
		l.close()
		if !w.open(l) {
			return false
		}
		s, err = l.read()
	}
	if err != nil {
		l.close()
		w.fails(err)
		return false
	}
	before := w.last.Load()
	s.At = time.Now()
	w.seen = w.seen || len(s.GPUs) > 0
	w.countEnergy(s.GPUs)
	w.last.Store(&s)
	w.tell(before, &s)
	if s.noneLeft() { // opened again later, so that the driver can be reset meanwhile
		l.close()
		return false
	}
	return true
}

// tell logs GPUs that were found, those that the driver has lost, and those that it counts no more, since the answer before.
func (w *Watcher) tell(before, now *Snapshot) {
	if before.At.IsZero() && len(now.GPUs)+len(now.Lost) == 0 {
		w.log.Info("the GPU driver counts no GPUs", "driver", now.Driver)
	}
	for _, g := range before.GPUs {
		if !slices.Contains(now.Lost, g.Index) && !slices.ContainsFunc(now.GPUs, func(there GPU) bool { return there.UUID == g.UUID }) {
			w.log.Warn("the GPU driver does not count a GPU any more that it told of before", "gpu", g.Index, "name", g.Name, "uuid", g.UUID, "left", len(now.GPUs))
		}
	}
	for _, g := range now.GPUs {
		if !slices.ContainsFunc(before.GPUs, func(known GPU) bool { return known.UUID == g.UUID }) {
			w.log.Info("found a GPU", "gpu", g.Index, "name", g.Name, "uuid", g.UUID, "driver", now.Driver, "cuda", now.CUDA, "mig", g.Profiles())
		}
	}
	for _, index := range now.Lost {
		if !slices.Contains(before.Lost, index) {
			w.log.Warn(gpulost.Text([]int{index}, now.Indexes()), "gpu", index)
		}
	}
}

// countEnergy counts energy from the first answer on: drivers count from their own start.
func (w *Watcher) countEnergy(gpus []GPU) {
	for i := range gpus {
		g := &gpus[i]
		first, known := w.used[g.UUID]
		if (!known || g.Energy < first) && !math.IsNaN(g.Energy) { // the driver was loaded again
			first = g.Energy
			w.used[g.UUID] = first
		}
		g.Energy -= first
	}
}

// fails tells why nothing is known of the GPUs.
func (w *Watcher) fails(err error) {
	trouble := fmt.Sprintf("The GPUs of this machine cannot be read: %v. Conch tries again every %d s.", err, int(tryAgain.Seconds()))
	if w.last.Load().Trouble != trouble {
		w.log.Warn("the GPUs of this machine cannot be read", "error", err)
	}
	w.last.Store(&Snapshot{At: time.Now(), Trouble: trouble})
}
