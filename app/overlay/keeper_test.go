package overlay_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"conch/app/overlay"
)

// shelf is a shelf in memory that can fail.
type shelf struct {
	mu     sync.Mutex
	rows   map[overlay.Key]overlay.Draft
	broken error
	writes int
}

func (s *shelf) Keep(_ context.Context, drafts []overlay.Draft, removed []overlay.Removal) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes++
	if s.broken != nil {
		return s.broken
	}
	for _, d := range drafts {
		if s.rows[d.Key].Version < d.Version {
			s.rows[d.Key] = d
		}
	}
	for _, r := range removed {
		if s.rows[r.Key].Version <= r.Version {
			delete(s.rows, r.Key)
		}
	}
	return nil
}

func (s *shelf) become(broken error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = broken
}

func (s *shelf) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rows[config].Text
}

func (s *shelf) Load(_ context.Context, root string) ([]overlay.Draft, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []overlay.Draft
	for key, d := range s.rows {
		if key.Root == root {
			list = append(list, d)
		}
	}
	return list, s.broken
}

// files are recovery files in memory that can fail.
type files struct {
	mu     sync.Mutex
	lists  map[string][]overlay.RecoveryDraft
	spot   overlay.Spot
	broken error
	gone   bool // somebody removed what was written
	left   []string
}

func (l *files) Write(root string, list []overlay.RecoveryDraft) (overlay.Spot, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken == nil {
		l.lists[root] = list
	}
	return l.spot, l.broken
}

func (l *files) Has(root string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.lists[root]) > 0 && !l.gone
}

func (l *files) Release(root string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left = append(l.left, root)
}

func (l *files) become(spot overlay.Spot, broken error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.spot, l.broken = spot, broken
}

func (l *files) Read(root string) ([]overlay.RecoveryDraft, overlay.Spot, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.lists[root]) == 0 {
		return nil, overlay.Spot{}, nil
	}
	return l.lists[root], l.spot, nil
}

func (l *files) texts() (texts []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.lists[config.Root] {
		texts = append(texts, p.Text)
	}
	return texts
}

// run is one run of the program, with what outlives it.
type run struct {
	o       *overlay.Overlay
	k       *overlay.Keeper
	s       *shelf
	l       *files
	reports []error
	spots   []overlay.Spot
	late    []string
}

func start(t *testing.T, s *shelf, l *files) *run {
	t.Helper()
	r := &run{o: newOverlay(), s: s, l: l}
	r.k = overlay.Keep(r.o, s, l, overlay.Told{
		Kept: func(elsewhere []overlay.Spot, err error) { r.reports, r.spots = append(r.reports, err), elsewhere },
		Late: func(root string) { r.late = append(r.late, root) },
	})
	if err := r.k.Begin(config.Root); err != nil {
		t.Fatal(err)
	}
	return r
}

// kept runs a test with a keeper and a fake clock.
func kept(t *testing.T, test func(r *run)) {
	synctest.Test(t, func(t *testing.T) {
		s, l := &shelf{rows: map[overlay.Key]overlay.Draft{}}, &files{lists: map[string][]overlay.RecoveryDraft{}}
		r := start(t, s, l)
		if _, err := r.k.Bring(t.Context(), config.Root); err != nil {
			t.Fatal(err)
		}
		test(r)
		if err := r.k.Close(); err != nil && s.broken == nil {
			t.Error(err)
		}
	})
}

// pass lets a keeper do its pending work.
func pass() {
	time.Sleep(10 * time.Second)
	synctest.Wait()
}

// TestKeptWithinASecond: a second after the last key the text is on the shelf. Further typing does not
// delay that.
func TestKeptWithinASecond(t *testing.T) {
	kept(t, func(r *run) {
		o, s := r.o, r.s
		var d overlay.Draft
		for i := range 30 {
			d = put(t, o, overlay.Edit{Key: config, Text: string(rune('a' + i)), Since: d.Version})
			time.Sleep(100 * time.Millisecond)
			if i >= 10 && s.text() == "" {
				t.Fatal("nothing is kept while typing goes on")
			}
		}
		last := d.Text
		time.Sleep(time.Second)
		synctest.Wait()
		if s.text() != last {
			t.Errorf("kept is %q, typed was %q", s.text(), last)
		}
		if s.writes > 10 {
			t.Errorf("%d writes in 3 s of typing", s.writes)
		}
		o.Drop(config)
		time.Sleep(time.Second)
		synctest.Wait()
		if len(s.rows) != 0 {
			t.Errorf("a draft that is gone is still kept: %v", s.rows)
		}
	})
}

func TestKeptAtTheEnd(t *testing.T) {
	kept(t, func(r *run) {
		o, s, k := r.o, r.s, r.k
		put(t, o, overlay.Edit{Key: config, Text: "the last word"})
		if err := k.Close(); err != nil || s.text() != "the last word" {
			t.Errorf("%v, %v", s.rows, err)
		}
	})
}

// TestKeptLater: a failed write to the shelf is reported, and the shelf gets everything once it can be
// written.
func TestKeptLater(t *testing.T) {
	kept(t, func(r *run) {
		o, s, reports := r.o, r.s, &r.reports
		r.l.broken = errors.New("no space left on device")
		s.become(errors.New("no space left on device"))
		put(t, o, overlay.Edit{Key: config, Text: "a"})
		time.Sleep(time.Second)
		synctest.Wait()
		if len(*reports) != 1 || (*reports)[0] == nil {
			t.Fatalf("reported %v", *reports)
		}
		o.Forget(config.Root)
		if _, ok := o.Get(config); !ok {
			t.Error("what is not kept yet was forgotten")
		}
		s.become(nil)
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if s.text() != "a" || (*reports)[len(*reports)-1] != nil {
			t.Errorf("%v, reported %v", s.rows, *reports)
		}
		o.Forget(config.Root)
		if _, ok := o.Get(config); ok {
			t.Error("what is kept was not forgotten")
		}
	})
}

// TestNowhere: within a second the keeper reports which texts are stored nowhere, and which are in an
// unusual place. Settle tries as long as it may.
func TestNowhere(t *testing.T) {
	full := errors.New("no space left on device")
	kept(t, func(r *run) {
		r.s.become(full)
		r.l.become(overlay.Spot{}, full)
		put(t, r.o, overlay.Edit{Key: config, Text: "a"})
		time.Sleep(time.Second)
		synctest.Wait()
		var unkept *overlay.UnkeptError
		if len(r.reports) != 1 || !errors.As(r.reports[0], &unkept) || len(unkept.Keys) != 1 || unkept.Keys[0] != config {
			t.Fatalf("reported %v", r.reports)
		}
		for _, mended := range []bool{false, true} {
			if mended {
				time.AfterFunc(2*time.Second, func() { r.l.become(overlay.Spot{Path: "/run", ShortLived: true}, nil) })
			}
			ctx, stop := context.WithTimeout(context.Background(), 5*time.Second)
			err := r.k.Settle(ctx)
			stop()
			if (err == nil) != mended || !mended && !errors.As(err, &unkept) {
				t.Errorf("mended %v: %v", mended, err)
			}
		}
		put(t, r.o, overlay.Edit{Key: config, Text: "ab", Since: 1 << 62})
		pass()
		if len(r.spots) != 1 || r.spots[0].Path != "/run" || !slices.Equal(r.l.texts(), []string{"ab"}) {
			t.Errorf("it is in %v: %q", r.spots, r.l.texts())
		}
		r.s.become(nil)
		r.l.become(overlay.Spot{}, nil)
		pass()
		if len(r.spots) != 0 || r.reports[len(r.reports)-1] != nil || r.s.text() != "ab" || len(r.l.texts()) > 0 {
			t.Errorf("on the shelf is %q, reported %v in %v, in files %q", r.s.text(), r.reports[len(r.reports)-1], r.spots, r.l.texts())
		}
		if err := r.k.Away(context.Background(), config.Root); err != nil || !slices.Equal(r.l.left, []string{config.Root}) {
			t.Errorf("left %v, %v", r.l.left, err)
		}
	})
}

// TestToldAfterARestart: a run reports where an earlier run put its texts, whether or not the shelf
// can be read. It moves them as soon as a better place takes them, even while the shelf takes nothing.
func TestToldAfterARestart(t *testing.T) {
	full := errors.New("no space left on device")
	for _, readable := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			s := &shelf{rows: map[overlay.Key]overlay.Draft{}}
			l := &files{lists: map[string][]overlay.RecoveryDraft{config.Root: {{Draft: overlay.Draft{Key: config, Text: "a", Version: 5}}}}}
			in := func(spot overlay.Spot, r *run) {
				t.Helper()
				if pass(); len(r.spots) != 1 || r.spots[0] != spot || !slices.Equal(l.texts(), []string{"a"}) {
					t.Errorf("readable %v: it is in %+v, told was %v", readable, spot, r.spots)
				}
			}
			shortLived, reserve := overlay.Spot{Path: "/run", ShortLived: true}, overlay.Spot{Path: "/data"}
			l.become(shortLived, nil)
			if !readable {
				s.become(full)
			}
			r := start(t, s, l)
			_, err := r.k.Bring(t.Context(), config.Root)
			if (err == nil) != readable {
				t.Fatal(err)
			}
			s.become(full)
			in(shortLived, r)
			l.become(reserve, nil)
			in(reserve, r)
			l.become(overlay.Spot{}, nil)
			if pass(); len(r.spots) != 0 || !slices.Equal(l.texts(), []string{"a"}) {
				t.Errorf("readable %v: told %v while it is in the usual place", readable, r.spots)
			}
			s.become(nil)
			if err := r.k.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestGoneAndNowhere: a recovery file that disappears while no place takes its drafts is reported as
// unkept; one that stays is not.
func TestGoneAndNowhere(t *testing.T) {
	full := errors.New("no space left on device")
	kept(t, func(r *run) {
		r.s.become(full)
		r.l.become(overlay.Spot{Path: "/run", ShortLived: true}, nil)
		put(t, r.o, overlay.Edit{Key: config, Text: "a"})
		pass()
		r.l.become(overlay.Spot{}, full)
		for _, gone := range []bool{false, true} {
			r.l.mu.Lock()
			r.l.gone = gone
			r.l.mu.Unlock()
			pass()
			var unkept *overlay.UnkeptError
			if !errors.As(r.reports[len(r.reports)-1], &unkept) || (len(unkept.Keys) == 1) != gone || (len(r.spots) == 0) != gone {
				t.Errorf("gone %v: told %v in %v", gone, unkept, r.spots)
			}
		}
		r.s.become(nil)
		r.l.become(overlay.Spot{}, nil)
	})
}
