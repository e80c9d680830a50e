package watch

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"conch/repo/layout"
)

// raw is one event as a source reports it, before anything has settled.
type raw struct {
	path string
	// dir: path is a folder, or was one.
	dir bool
	// fresh: path appeared in a folder that is new itself.
	fresh bool
	// full: events were lost; path is unused.
	full bool
}

// look is what a glance at a file shows.
type look struct {
	exists  bool
	dir     bool
	size    int64
	modTime int64
}

func lookAt(path string) look {
	info, err := os.Stat(path)
	if err != nil {
		return look{}
	}
	return lookOf(info)
}

func lookOf(info os.FileInfo) look {
	if info.IsDir() {
		return look{exists: true, dir: true}
	}
	return look{exists: true, size: info.Size(), modTime: info.ModTime().UnixNano()}
}

// empty tells a file that holds nothing.
func (l look) empty() bool { return l.exists && !l.dir && l.size == 0 }

// settler holds changes back until they are at rest. It has no clock and no
// goroutine: it is told the time. A direct entry of a root, that is a
// model, is let out as a whole.
type settler struct {
	roots  []string
	timing Timing
	look   func(path string) look
	// alone: each path is let out alone, wherever it is and whatever its name.
	alone bool

	groups map[string]*group
	// full is when events were last lost; zero if they were not.
	full time.Time
}

// group is what is going on in one direct entry of a root.
type group struct {
	paths map[string]*writing
	first time.Time
	last  time.Time
	fresh bool
}

// writing is one path that may not be at rest yet.
type writing struct {
	seen  look
	first time.Time
	last  time.Time
}

func newSettler(roots []string, timing Timing, look func(string) look) *settler {
	return &settler{roots: roots, timing: timing, look: look, groups: map[string]*group{}}
}

// touch takes note of an event.
func (s *settler) touch(now time.Time, e raw) {
	if e.full {
		s.full = now
		return
	}
	key, ok := s.group(e)
	if !ok {
		return
	}
	g := s.groups[key]
	if g == nil {
		g = &group{paths: map[string]*writing{}, first: now}
		s.groups[key] = g
	}
	g.last = now
	g.fresh = g.fresh || e.fresh
	w := g.paths[e.path]
	if w == nil {
		w = &writing{first: now}
		g.paths[e.path] = w
	}
	w.seen, w.last = s.look(e.path), now
}

// group finds the direct entry of a root in which an event lies, unless it is
// noise. A folder of noise is let through, but not what is in it: Triton
// looks at a model's first folder, whatever its name. So is everything that
// lies in the root itself, where a folder that is gone cannot be told from a
// file, and a scan shows folders of any name.
func (s *settler) group(e raw) (string, bool) {
	if s.alone {
		return e.path, true
	}
	for _, root := range s.roots {
		rel, err := filepath.Rel(root, e.path)
		if err != nil || rel == "." || !filepath.IsLocal(rel) {
			continue
		}
		rel = filepath.ToSlash(rel)
		parent, base := "", rel
		if i := strings.LastIndexByte(rel, '/'); i >= 0 {
			parent, base = rel[:i], rel[i+1:]
		}
		if parent != "" && slices.ContainsFunc(strings.Split(parent, "/"), layout.NoiseDir) {
			return "", false
		}
		if parent != "" && !e.dir && (layout.NoiseFile(base) || layout.VimProbe(base)) {
			return "", false
		}
		name, _, _ := strings.Cut(rel, "/")
		return filepath.Join(root, name), true
	}
	return "", false
}

// next says when to call settle; never, if nothing is going on.
func (s *settler) next() (time.Time, bool) {
	var next time.Time
	for _, g := range s.groups {
		if due := s.due(g); next.IsZero() || due.Before(next) {
			next = due
		}
	}
	if due := s.full.Add(s.timing.Folder); !s.full.IsZero() && (next.IsZero() || due.Before(next)) {
		next = due
	}
	return next, !next.IsZero()
}

// due is when a group will be at rest if nothing more happens.
func (s *settler) due(g *group) time.Time {
	var due time.Time
	for _, w := range g.paths {
		if t := w.last.Add(s.timing.quiet(w.seen, w.last.Sub(w.first))); t.After(due) {
			due = t
		}
	}
	if g.fresh {
		pause := max(s.timing.Folder, min(g.last.Sub(g.first)/2, s.timing.Patience))
		if t := g.last.Add(pause); t.After(due) {
			due = t
		}
	}
	return due
}

// settle lets out what is at rest by now.
func (s *settler) settle(now time.Time) Change {
	var c Change
	for key, g := range s.groups {
		if s.due(g).After(now) || s.moved(now, g) {
			continue
		}
		c.Paths = append(c.Paths, g.released(key)...)
		delete(s.groups, key)
	}
	if !s.full.IsZero() && !s.full.Add(s.timing.Folder).After(now) {
		c.Full, s.full = true, time.Time{}
	}
	slices.Sort(c.Paths)
	return c
}

// moved looks at the files of a group once more. Sizes are compared as well
// as events, since a file written through a mapping or a link sends none.
func (s *settler) moved(now time.Time, g *group) bool {
	moved := false
	for path, w := range g.paths {
		if seen := s.look(path); seen != w.seen {
			w.seen, w.last, g.last = seen, now, now
			moved = true
		}
	}
	return moved || s.due(g).After(now)
}

// busy are the groups that are not at rest.
func (s *settler) busy() []string {
	return slices.Sorted(maps.Keys(s.groups))
}

// released are the paths to tell; when they are many, the group as a whole.
func (g *group) released(key string) []string {
	const many = 64
	if len(g.paths) > many {
		return []string{key}
	}
	return slices.Collect(maps.Keys(g.paths))
}
