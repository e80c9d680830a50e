package scan

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"conch/repo/layout"
)

// defaultMaxText is the largest config that is read. Triton takes one of 40 MB,
// and its parser up to 2 GB (docs/triton/config-text.md, "The parser").
const defaultMaxText = 64 << 20

// Scanner reads a fixed set of repositories. It keeps no state between scans
// and may be used from several goroutines.
type Scanner struct {
	// FS opens a root; nil means the disk.
	FS func(root string) fs.FS
	// MaxText is the size from which a config is no longer read; 0 means 64 MiB.
	MaxText int64
	// Workers is how many entries are read at a time; 0 means a good number.
	Workers int

	roots []string
	ctx   context.Context // nil is one that never ends
}

// WithContext returns the same scanner for as long as ctx lasts. A scan that it
// ends returns the Index before, or where there is none what it has found.
func (s *Scanner) WithContext(ctx context.Context) *Scanner {
	bound := *s
	bound.ctx = ctx
	return &bound
}

func (s *Scanner) context() context.Context {
	if s.ctx == nil {
		return context.Background()
	}
	return s.ctx
}

// ended reports whether the context ended a scan that has an Index to fall back
// on.
func (s *Scanner) ended(prev *Index) bool { return prev != nil && s.context().Err() != nil }

// New makes a scanner of the repositories at these paths.
func New(roots ...string) *Scanner {
	s := &Scanner{}
	for _, root := range roots {
		if abs, err := filepath.Abs(root); err == nil {
			root = abs
		}
		if !slices.Contains(s.roots, root) {
			s.roots = append(s.roots, root)
		}
	}
	return s
}

// Roots are the absolute paths of the repositories.
func (s *Scanner) Roots() []string { return slices.Clone(s.roots) }

func (s *Scanner) fsys(root string) fs.FS {
	if s.FS != nil {
		return s.FS(root)
	}
	return disk(root)
}

func (s *Scanner) maxText() int64 {
	if s.MaxText > 0 {
		return s.MaxText
	}
	return defaultMaxText
}

// Scan reads everything. What equals prev, which may be nil, is shared with
// it; if nothing changed at all, prev itself is returned. Entries of a root
// in which one of the busy paths lies are left as prev has them: something is
// being copied there.
func (s *Scanner) Scan(prev *Index, busy ...string) *Index {
	states := make([]rootState, len(s.roots))
	budget := &layout.Budget{}
	for i, root := range s.roots {
		state := s.readRoot(root)
		s.readEntries(&state, state.listed, entriesOf(root, busy), budget)
		states[i] = state.shared(prev.state(i))
	}
	if s.ended(prev) {
		return prev
	}
	return assemble(prev, states)
}

// Rescan reads again only those models in which a touched path lies, and
// shares the rest with prev. A touched root is read whole.
func (s *Scanner) Rescan(prev *Index, touched []string) *Index {
	if prev == nil {
		return s.Scan(nil)
	}
	states := make([]rootState, len(s.roots))
	changed := false
	for i, root := range s.roots {
		state, differs := s.rescanRoot(prev.state(i), touched, root)
		states[i], changed = state, changed || differs
	}
	if !changed || s.ended(prev) {
		return prev
	}
	return assemble(prev, states)
}

// rescanRoot says also whether anything may differ, so that a look at one model of thousands costs nothing more.
func (s *Scanner) rescanRoot(old rootState, touched []string, root string) (state rootState, differs bool) {
	if slices.ContainsFunc(touched, func(p string) bool { return layout.Below(filepath.Clean(p), root) }) {
		state = s.readRoot(root)
		s.readEntries(&state, state.listed, nil, &layout.Budget{})
		return state.shared(old), true
	}
	names := entriesOf(root, touched)
	fresh := rootState{root: old.root, entries: map[string]entry{}}
	s.readEntries(&fresh, slices.Collect(maps.Keys(names)), nil, &layout.Budget{})
	if fresh.lost(old) && s.readRoot(root).problem != nil {
		state = s.readRoot(root) // not the entries have gone, but what they lie in
		return state.shared(old), true
	}
	state = old
	for name, e := range fresh.entries {
		if e.same(old.entries[name]) {
			continue
		}
		if !differs {
			state.entries, differs = maps.Clone(old.entries), true
		}
		state.set(name, e)
	}
	return state, differs
}

// entriesOf names the direct entries of root in which the paths lie.
func entriesOf(root string, paths []string) map[string]bool {
	names := map[string]bool{}
	for _, p := range paths {
		rel, err := filepath.Rel(root, p)
		if err != nil || rel == "." || !filepath.IsLocal(rel) {
			continue
		}
		name, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
		names[name] = true
	}
	return names
}

// Identity names the folder at a path, as in Root; "" where there is none.
func Identity(dir string) string {
	info, err := os.Stat(dir)
	if err != nil {
		return ""
	}
	return layout.IdentityOf(dir, info).String()
}

// readRoot lists a root without looking into its entries.
func (s *Scanner) readRoot(root string) rootState {
	state := rootState{root: Root{Path: root}, entries: map[string]entry{}}
	listed, err := fs.ReadDir(s.fsys(root), ".")
	if err != nil && len(listed) == 0 {
		state.problem = &Problem{Code: RootMissing, Path: root, What: unreadableRoot(root, err)}
		return state
	}
	if s.FS == nil {
		state.root.ReadOnly, state.root.Identity = !writable(root), Identity(root)
	}
	for _, e := range listed {
		state.listed = append(state.listed, e.Name())
	}
	return state
}

// readEntries reads named entries side by side into the state. Those in keep
// are taken over unread, by shared.
func (s *Scanner) readEntries(state *rootState, names []string, keep map[string]bool, budget *layout.Budget) {
	state.keep = keep
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return keep[name] })
	found := make([]entry, len(names))
	next := make(chan int)
	var wait sync.WaitGroup
	for range min(s.workers(), len(names)) {
		wait.Go(func() {
			for i := range next {
				found[i] = s.readEntry(state.root.Path, names[i], budget)
			}
		})
	}
	for i := range names {
		if s.context().Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	wait.Wait()
	for i, name := range names {
		state.entries[name] = found[i]
	}
}

// workers: reading waits for the disk more than for the processor, above all
// over a network, but more than a few dozen at once help nobody.
func (s *Scanner) workers() int {
	if s.Workers > 0 {
		return s.Workers
	}
	return min(4*runtime.GOMAXPROCS(0), 32)
}
