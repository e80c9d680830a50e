package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"conch/app/userfile"
)

// FileName is the database's name in the data directory.
const FileName = "conch.db"

// flushEvery is how often what was queued is written.
const flushEvery = time.Second

// Options say where the store is. Only Dir is required.
type Options struct {
	Dir string
	// NoDrafts makes the store refuse unsaved texts, since Dir is removed at the end.
	NoDrafts bool
	// Now is the clock; time.Now when nil.
	Now func() time.Time
	// Log gets the writes that fail; slog.Default when nil.
	Log *slog.Logger
}

// Store is an open database.
type Store struct {
	path atomic.Pointer[string]
	now  func() time.Time
	log  *slog.Logger

	stop context.CancelFunc
	done chan struct{}

	// dbMu guards db, which is replaced when the file is damaged, temporary and replaced.
	dbMu sync.RWMutex
	db   *database
	// temporary is a folder with a temporary file, while another program has the one of path locked;
	// otherwise nil.
	temporary *userfile.Scratch
	// replaced is called when a new file was begun during the run.
	replaced func()

	// flushMu lets one flush run at a time, and guards what a flush remembers.
	flushMu   sync.Mutex
	series    map[seriesKey]int64
	gpus      map[seriesKey]GPU // as they are in the file
	taken     map[room]int      // how many series there are, where that was counted
	newest    int64             // the time of the newest sample; 0 before the first one
	rolled    map[int64]int64   // by step: buckets before this time are rolled up
	lastPrune time.Time
	failing   bool // the last flush failed, and that was reported

	noDrafts bool // see Options

	reloadMu sync.Mutex // held from reading a setting of SetReload to writing it

	// mu guards the rest: what waits to be written, what a flush is writing, the troubles, and who follows them.
	mu      sync.Mutex
	queue   queue
	writing queue
	running map[int64]place // requests of this program that have not ended, by identifier
	dropped bool            // something did not fit into queue, and that was not reported yet
	lastID  int64
	trouble string
	tell    func(trouble string)
}

// Open opens the store, and creates or repairs it where needed. It fails only when the folder cannot
// be used at all. It does not wait for a file that another program has locked: another file is used
// until that program unlocks it.
func Open(ctx context.Context, opts Options) (*Store, error) {
	s := &Store{
		now:  opts.Now,
		log:  opts.Log,
		done: make(chan struct{}),

		running: map[int64]place{},

		noDrafts: opts.NoDrafts,
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.log == nil {
		s.log = slog.Default()
	}
	s.forget()
	userfile.Sweep(opts.Dir, temporaryFolder)
	db, path, trouble, err := s.opener(filepath.Join(opts.Dir, FileName)).openAny(ctx)
	if isLocked(err) {
		trouble = fmt.Sprintf("Another program has the history %s locked, so that Conch cannot read what is in it: close that program. Until then history and settings are kept for this session, and go into the file once it is free. Unsaved texts are safe: they are in files beside it.", path)
		err = s.openTemporary(ctx, path)
		db = s.db
	}
	if err != nil {
		return nil, err
	}
	s.db, s.trouble = db, trouble
	s.path.Store(&path)
	run, stop := context.WithCancel(context.Background())
	s.stop = stop
	go s.run(run)
	return s, nil
}

func (s *Store) opener(path string) opener {
	return opener{path: path, now: s.now, checkBelow: checkWholeBelow}
}

// Path returns where the database is, or will be when the program that has it locked unlocks it.
func (s *Store) Path() string { return *s.path.Load() }

// Trouble returns what happened to the file, in a sentence for people; "" when nothing did. Each
// trouble is returned once.
func (s *Store) Trouble() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	told := s.trouble
	s.trouble = ""
	return told
}

// Follow has tell called with everything that Trouble would return, now and later. tell must not call
// Close.
func (s *Store) Follow(tell func(trouble string)) {
	s.mu.Lock()
	s.tell = tell
	s.mu.Unlock()
	s.pass()
}

// OnReplace has replaced called each time another file takes the place of the one in use. replaced
// should write again what is still known of the old content. It must not call the store.
func (s *Store) OnReplace(replaced func()) {
	s.dbMu.Lock()
	defer s.dbMu.Unlock()
	s.replaced = replaced
}

// pass gives the troubles to the follower, if there is one.
func (s *Store) pass() {
	s.mu.Lock()
	tell := s.tell
	s.mu.Unlock()
	if tell == nil {
		return
	}
	if trouble := s.Trouble(); trouble != "" {
		tell(trouble)
	}
}

// addTrouble adds a sentence to the troubles that are not reported yet.
func (s *Store) addTrouble(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !strings.HasSuffix(s.trouble, text) {
		s.trouble = strings.TrimSpace(s.trouble + " " + text)
	}
}

// Close writes what is queued and closes the file. While another program has the file locked,
// the last measurements and events are lost with a warning in the log; a lost request is an error.
func (s *Store) Close() error {
	s.stop()
	<-s.done
	if s.isLocked() {
		_ = s.settle(context.Background()) // a trouble said that history is kept for this session only
	}
	flushErr := s.Flush(context.Background())
	if isLocked(flushErr) && !s.owesRequests() {
		s.log.Warn("the last measurements and events are not in the history", "error", flushErr)
		flushErr = nil
	}
	s.dbMu.Lock()
	defer s.dbMu.Unlock()
	defer s.removeTemporary()
	if err := s.db.Close(); err != nil {
		return fmt.Errorf("close %s: %w", s.Path(), errors.Join(err, flushErr))
	}
	return flushErr
}

// run writes what is queued, once in flushEvery. In between it tidies what is due. It waits after each
// part for as long as the part took, so that other writers get their turn.
func (s *Store) run(ctx context.Context) {
	defer close(s.done)
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	var pause <-chan time.Time // nil while nothing is due
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if s.isLocked() && s.settle(ctx) != nil {
				continue
			}
			s.report(s.Flush(ctx))
			s.pass()
			if !s.Failing() {
				pause = time.After(0)
			}
		case <-pause:
			took, more := s.tidyMore(ctx)
			if pause = nil; more {
				pause = time.After(took)
			}
		}
	}
}

// report logs the first of several failures: a full disk would otherwise be reported every second.
func (s *Store) report(err error) {
	s.flushMu.Lock()
	defer s.flushMu.Unlock()
	switch failing := err != nil && !errors.Is(err, context.Canceled); {
	case failing && !s.failing:
		s.log.Error("history is not being written", "error", err)
		s.addTrouble(fmt.Sprintf("%s Until then it is kept in memory.", sentence(err)))
	case !failing && s.failing:
		s.addTrouble(fmt.Sprintf("History is being written again; %s.", s.isMissing()))
	}
	s.failing = err != nil
}

// Failing reports whether history cannot be written now.
func (s *Store) Failing() bool {
	s.flushMu.Lock()
	defer s.flushMu.Unlock()
	return s.failing
}

// forget drops what is remembered of the database's content.
func (s *Store) forget() {
	s.series = map[seriesKey]int64{}
	s.gpus = map[seriesKey]GPU{}
	s.taken = map[room]int{}
	s.rolled = map[int64]int64{}
	s.lastPrune = time.Time{}
}
