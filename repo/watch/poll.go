package watch

import (
	"context"
	"os"
	"path/filepath"
	"time"
)

// poller finds changes by walking the roots again and again.
type poller struct {
	roots    []string
	interval time.Duration
}

var _ source = (*poller)(nil)

// state is what one walk saw.
type state map[string]glance

type glance struct {
	dir     bool
	size    int64
	modTime int64
	mode    os.FileMode
}

// breather: on a slow drive, or in a large tree, a walk may take longer than the
// interval. Waiting three times as long leaves most of the drive's time to
// others, and most of a processor.
const breather = 3

func (p *poller) run(ctx context.Context, out chan<- []raw) error {
	old := p.look(ctx)
	if !send(ctx, out, []raw{{full: true}}) {
		return ctx.Err()
	}
	wait := p.interval
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
		start := time.Now()
		now := p.look(ctx)
		if ctx.Err() != nil { // it was not looked at everything
			return ctx.Err()
		}
		wait = max(p.interval, breather*time.Since(start))
		if events := p.compare(old, now); len(events) > 0 && !send(ctx, out, events) {
			return ctx.Err()
		}
		old = now
	}
}

func send(ctx context.Context, out chan<- []raw, events []raw) bool {
	select {
	case out <- events:
		return true
	case <-ctx.Done():
		return false
	}
}

func (p *poller) look(ctx context.Context) state {
	now := state{}
	w := newWalker(ctx)
	for _, root := range p.roots {
		w.walk(root, func(f found) bool {
			g := glance{dir: f.info.IsDir(), mode: f.info.Mode()}
			if !g.dir {
				g.size, g.modTime = f.info.Size(), f.info.ModTime().UnixNano()
			}
			now[f.path] = g
			return true
		})
	}
	return now
}

// compare tells what differs between two looks.
func (p *poller) compare(old, now state) []raw {
	var events []raw
	for _, root := range p.roots {
		if _, was := old[root]; was != exists(now, root) {
			events = append(events, raw{full: true})
		}
	}
	for path, g := range now {
		was, known := old[path]
		if !known || was != g {
			events = append(events, raw{path: path, dir: g.dir, fresh: !known && (g.dir || freshParent(old, path))})
		}
	}
	for path, g := range old {
		if !exists(now, path) {
			events = append(events, raw{path: path, dir: g.dir})
		}
	}
	return events
}

// freshParent reports whether the folder of a path was not there before.
func freshParent(old state, path string) bool { return !exists(old, filepath.Dir(path)) }

func exists(s state, path string) bool {
	_, ok := s[path]
	return ok
}
