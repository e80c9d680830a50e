package watch

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"conch/repo/layout"
)

// Files watches single files, wherever they are, and nothing else of their
// folders or below. Its Run may be called once.
type Files struct {
	timing Timing

	mu     sync.Mutex // guards wanted
	wanted map[string]bool
	// news has room for one and says that wanted is another.
	news chan struct{}
}

// NewFiles makes a watcher of no files.
func NewFiles(options Options) *Files {
	f := &Files{timing: LocalTiming(), news: make(chan struct{}, 1)}
	if options.Timing != nil {
		f.timing = *options.Timing
	}
	return f
}

// Watch replaces the files, which need not exist. Those that are new are told
// as if they had changed: nobody has looked at them before. It does not wait.
func (f *Files) Watch(paths []string) {
	wanted := make(map[string]bool, len(paths))
	for _, path := range paths {
		wanted[path] = true
	}
	f.mu.Lock()
	f.wanted = wanted
	f.mu.Unlock()
	select {
	case f.news <- struct{}{}:
	default:
	}
}

// Run sends the files that have changed and come to rest to up, until ctx
// ends, and returns its error. It does not close up.
func (f *Files) Run(ctx context.Context, up chan<- Change) error {
	s := newSettler(nil, f.timing, until(ctx))
	s.alone = true
	l := &loop{settler: s, up: up}
	return l.run(ctx, &single{files: f, seen: map[string]look{}, folders: map[string]layout.Identity{}})
}

// mostFolders bounds the folders of files that are watched: the system has
// watches for all programs together. Files in others are only looked at.
const mostFolders = 256

// single is told of changes by the system, in the folders of the files. Each
// file is looked at now and then as well: behind a link, on a network drive, in
// a folder that was replaced, or without watches nothing is told.
type single struct {
	files *Files
	// seen is what was seen last of each file.
	seen map[string]look
	// folders are those that are watched.
	folders map[string]layout.Identity
	watcher *fsnotify.Watcher // nil before the first file, and where there is none
	queue   *queue
	drained chan struct{}
	events  []raw
}

var _ source = (*single)(nil)

func (s *single) run(ctx context.Context, out chan<- []raw) error {
	defer s.close()
	var beat <-chan time.Time
	for {
		if len(s.events) > 0 && !send(ctx, out, s.events) {
			return ctx.Err()
		}
		s.events = nil
		var told <-chan struct{}
		if s.queue != nil {
			told = s.queue.signal
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.files.news:
			s.follow()
		case <-beat:
			beat = nil
			s.look(ctx)
		case <-told:
			s.digest(ctx, s.queue.take())
		}
		if beat == nil && len(s.seen) > 0 {
			beat = time.After(s.files.timing.Interval)
		}
	}
}

// follow takes the files that Watch has named.
func (s *single) follow() {
	s.files.mu.Lock()
	wanted := s.files.wanted
	s.files.mu.Unlock()
	maps.DeleteFunc(s.seen, func(path string, _ look) bool { return !wanted[path] })
	for _, path := range slices.Sorted(maps.Keys(wanted)) {
		if _, known := s.seen[path]; known {
			continue
		}
		s.enter(filepath.Dir(path)) // before the look, so that nothing is missed in between
		s.seen[path] = lookAt(path)
		s.events = append(s.events, raw{path: path})
	}
	s.leave()
}

// enter watches a folder, unless it is watched already.
func (s *single) enter(dir string) {
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() {
		return
	}
	id := layout.IdentityOf(dir, info)
	was, known := s.folders[dir]
	if known && was == id || !known && len(s.folders) >= mostFolders || !s.begin() {
		return
	}
	if known {
		_ = s.watcher.Remove(dir) // the folder that was there before
	}
	if s.watcher.Add(dir) == nil { // else its files are looked at
		s.folders[dir] = id
	}
}

// begin opens the system's watcher when the first folder needs one, and
// reports whether there is one. Where the system would watch each file of a
// folder there is none.
func (s *single) begin() bool {
	if s.queue != nil || !foldersAreWatched {
		return s.watcher != nil
	}
	s.queue = newQueue()
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return false
	}
	s.watcher, s.drained = w, make(chan struct{})
	go func() { s.queue.drain(w); close(s.drained) }()
	return true
}

// leave watches no more folders in which no file is wanted.
func (s *single) leave() {
	used := map[string]bool{}
	for path := range s.seen {
		used[filepath.Dir(path)] = true
	}
	for dir := range s.folders {
		if !used[dir] {
			_ = s.watcher.Remove(dir) // it may be gone, and its watch with it
			delete(s.folders, dir)
		}
	}
}

// digest reports the wanted files of a batch.
func (s *single) digest(ctx context.Context, b batch) {
	for _, e := range b.events {
		if _, wanted := s.seen[e.Name]; wanted {
			s.seen[e.Name] = lookAt(e.Name)
			s.events = append(s.events, raw{path: e.Name})
		}
	}
	if b.lost {
		s.look(ctx)
	}
}

// look looks at the files and their folders, at as many as may be in one go.
func (s *single) look(ctx context.Context) {
	looks := 0
	for path, was := range s.seen {
		if looks++; looks > mostLooks || ctx.Err() != nil {
			return
		}
		s.enter(filepath.Dir(path))
		if now := lookAt(path); now != was {
			s.seen[path] = now
			s.events = append(s.events, raw{path: path})
		}
	}
}

func (s *single) close() {
	if s.watcher != nil {
		_ = s.watcher.Close()
		<-s.drained
	}
}
