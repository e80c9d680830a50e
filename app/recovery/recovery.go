package recovery

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"conch/app/overlay"
)

// Options say where recovery files are. Only Dir is required.
type Options struct {
	// Dir is the data folder.
	Dir string
	// Refuges are folders outside the data folder, for what the data folder does not take. Nil means
	// the usual ones.
	Refuges []string
	// Now is the clock; time.Now when nil.
	Now func() time.Time
	// Log gets a warning when no space can be reserved; slog.Default when nil.
	Log *slog.Logger
}

// Files are the recovery files of a data folder.
type Files struct {
	dir      string
	places   []place
	reserves *reserves
	now      func() time.Time
	log      *slog.Logger

	stop context.CancelFunc
	done chan struct{}

	// mu is held while recovery files are read or written, and guards the rest.
	mu     sync.Mutex
	serial uint64
	// unread holds by root why its recovery files cannot be read.
	unread map[string]error
	// holds lists by root the places that have content of it, with their serials.
	holds map[string]map[place]uint64
	// written is by root what this run wrote last.
	written map[string]*written
}

// written is the last write of a root.
type written struct {
	drafts []overlay.RecoveryDraft
	// at is the index of the place. tried is the time of the last attempt at a better place.
	at    int
	tried time.Time
}

// betterAgain is how often a better place is tried for drafts that have not changed.
const betterAgain = 5 * time.Second

var _ overlay.Recovery = (*Files)(nil)

// Open removes what killed programs left in the data folder. It writes nothing yet.
func Open(opts Options) *Files {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Log == nil {
		opts.Log = slog.Default()
	}
	if opts.Refuges == nil {
		opts.Refuges = usualRefuges()
	}
	f := &Files{dir: opts.Dir, now: opts.Now, log: opts.Log, done: make(chan struct{}),
		unread: map[string]error{}, holds: map[string]map[place]uint64{}, written: map[string]*written{}}
	f.reserves = newReserves(opts.Dir, usualSlot, opts.Now)
	f.places = []place{&beside{dir: opts.Dir, now: opts.Now}, f.reserves}
	for _, other := range opts.Refuges {
		f.places = append(f.places, &refuge{dir: other, home: opts.Dir, now: opts.Now})
	}
	sweepLeftovers(f.dir, f.now())
	run, stop := context.WithCancel(context.Background())
	f.stop = stop
	go f.run(run)
	return f
}

// reserveEvery is how often run checks that each root in use has reserved space.
const reserveEvery = time.Second

// run reserves space and removes leftovers until ctx ends.
func (f *Files) run(ctx context.Context) {
	defer close(f.done)
	reserve, sweep := time.NewTicker(reserveEvery), time.NewTicker(leftoverAge)
	defer reserve.Stop()
	defer sweep.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-sweep.C:
			sweepLeftovers(f.dir, f.now())
		case <-reserve.C:
			if err := f.reserves.setAside(); err != nil {
				f.log.Warn("no space is reserved for unsaved texts; they may not be kept when the disk is full", "error", err)
			}
		}
	}
}

// Close releases all reserved space. What is in the files stays.
func (f *Files) Close() {
	f.stop()
	<-f.done
	f.reserves.close()
}

// Dir is the data folder, which should have space.
func (f *Files) Dir() string { return f.dir }

// Write implements overlay.Recovery. Drafts that have not changed are written again only where a
// better place takes them.
func (f *Files) Write(root string, drafts []overlay.RecoveryDraft) (overlay.Spot, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if why := f.unread[root]; why != nil {
		return overlay.Spot{}, why
	}
	if len(drafts) == 0 {
		delete(f.written, root)
		return overlay.Spot{}, f.clear(root)
	}
	last := f.written[root]
	if last == nil || !slices.Equal(last.drafts, drafts) || !f.places[last.at].has(root) {
		return f.write(root, drafts, f.places)
	}
	if last.at > 0 && f.now().Sub(last.tried) >= betterAgain {
		last.tried = f.now()
		if spot, err := f.write(root, drafts, f.places[:last.at]); err == nil {
			return spot, nil
		}
	}
	return f.places[last.at].spot(), nil
}

// Read implements overlay.Recovery. A file that cannot be parsed is moved aside. A file that cannot be
// read stays, and Write does not overwrite it.
func (f *Files) Read(root string) ([]overlay.RecoveryDraft, overlay.Spot, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.written, root)
	c, spot, err := f.read(root)
	return c.drafts(), spot, err
}

// Has implements overlay.Recovery. A folder elsewhere may be removed when the user logs out.
func (f *Files) Has(root string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	list := f.holding(root)
	return len(list) > 0 && list[len(list)-1].has(root)
}

// Release implements overlay.Recovery.
func (f *Files) Release(root string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range f.places {
		p.release(root)
	}
	delete(f.holds, root)
	delete(f.unread, root)
	delete(f.written, root)
}

// write needs mu. It writes to the first of these places that takes the drafts. The places are
// f.places or the first few of them.
func (f *Files) write(root string, drafts []overlay.RecoveryDraft, places []place) (overlay.Spot, error) {
	f.serial = max(f.serial+1, uint64(f.now().UnixMicro()))
	c := toRecord(root, drafts)
	c.Serial = f.serial
	var failed error
	for i, p := range places {
		if err := p.write(c); err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		for _, other := range f.holding(c.Root) {
			if other != p && other.clear(c.Root) == nil { // what cannot be removed is older, and does not count
				delete(f.holds[c.Root], other)
			}
		}
		f.hold(c.Root, p, c.Serial)
		f.written[root] = &written{drafts: drafts, at: i, tried: f.now()}
		return p.spot(), nil
	}
	return overlay.Spot{}, failed
}

// clear needs mu. It removes the oldest first, so that an older text never counts in place of a newer
// one.
func (f *Files) clear(root string) error {
	for _, p := range f.holding(root) {
		if err := p.clear(root); err != nil {
			return err
		}
		delete(f.holds[root], p)
	}
	return nil
}

// read needs mu. It returns the newest record of a root.
func (f *Files) read(root string) (newest record, spot overlay.Spot, failed error) {
	delete(f.unread, root)
	delete(f.holds, root)
	for _, p := range f.places {
		c, found, err := p.read(root)
		if err != nil {
			failed = errors.Join(failed, err)
			if !errors.Is(err, errDamagedFile) && !errors.Is(err, errStays) {
				f.unread[root] = err
			}
			continue
		}
		if !found {
			continue
		}
		f.hold(root, p, c.Serial)
		f.serial = max(f.serial, c.Serial)
		if newest.Root == "" || c.Serial > newest.Serial {
			newest, spot = c, p.spot()
		}
	}
	if f.unread[root] != nil {
		f.unread[root] = failed
		return record{}, overlay.Spot{}, failed // the record that cannot be read may be newer
	}
	return newest, spot, failed
}

func (f *Files) hold(root string, p place, serial uint64) {
	if f.holds[root] == nil {
		f.holds[root] = map[place]uint64{}
	}
	f.holds[root][p] = serial
}

// holding lists the places that have content of a root, the oldest first.
func (f *Files) holding(root string) []place {
	serials := f.holds[root]
	return slices.SortedFunc(maps.Keys(serials), func(a, b place) int { return cmp.Compare(serials[a], serials[b]) })
}

func toRecord(root string, drafts []overlay.RecoveryDraft) record {
	c := record{Root: root}
	for _, d := range drafts {
		c.Drafts = append(c.Drafts, recordDraft{
			Path: d.Path, Text: d.Text, BaseVersion: d.Base.Version, BaseText: d.Base.Text, Version: d.Version, Over: d.Over, Changed: d.Changed,
		})
	}
	return c
}

func (c record) drafts() (list []overlay.RecoveryDraft) {
	for _, d := range c.Drafts {
		list = append(list, overlay.RecoveryDraft{Over: d.Over, Draft: overlay.Draft{
			Key: overlay.Key{Root: c.Root, Path: d.Path}, Text: d.Text,
			Base: overlay.Base{Version: d.BaseVersion, Text: d.BaseText}, Version: d.Version, Changed: d.Changed,
		}})
	}
	return list
}

func encode(c record) ([]byte, error) { return json.Marshal(c) }

func decode(text []byte) (c record, err error) {
	err = json.Unmarshal(text, &c)
	return c, err
}
