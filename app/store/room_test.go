package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"conch/app/store"
)

// TestInventedNames: a server that tells of other GPUs and models every second fills the history up to a limit. What was there goes on, also
// after the next start, and other repositories are not concerned.
func TestInventedNames(t *testing.T) {
	const gpus, models = 128, 300
	defer store.SetMostModels(models)()
	c, dir := newClock(), t.TempDir()
	s := open(t, store.Options{Dir: dir, Now: c.now})
	add := func(repository string, names []string, ids ...store.GPU) {
		t.Helper()
		c.advance(time.Second)
		sample := store.Sample{Repository: repository, Time: c.now(), Covered: time.Second, Models: map[string]store.Counters{}}
		for _, name := range names {
			sample.Models[name] = store.Counters{Requests: 1}
		}
		for _, id := range ids {
			sample.GPUs = append(sample.GPUs, store.GPUSample{GPU: id, Power: 1})
		}
		s.AddSample(sample)
		flush(t, s)
	}
	invented := func(n, of int) (names []string, ids []store.GPU) {
		for i := range of {
			names = append(names, fmt.Sprintf("m%d-%d", n, i))
			ids = append(ids, store.GPU{Index: i, UUID: fmt.Sprintf("GPU-%d-%d", n, i), Name: "x"})
		}
		return names, ids
	}
	const series = `SELECT count(*) FROM series WHERE repository = '/r' AND model LIKE `
	add("/r", []string{strings.Repeat("m", 2000)}, store.GPU{UUID: strings.Repeat("G", 2000)})
	if n := count(t, s, series+`'%'`); n != 1 {
		t.Errorf("with names of 2,000 bytes there are %d series, want that of the repository alone", n)
	}
	for n := range 3 {
		names, ids := invented(n, 150)
		add("/r", names, ids[:100]...)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, store.Options{Dir: dir, Now: c.now})
	before := count(t, s, `SELECT count(*) FROM metric`)
	names, ids := invented(3, 100)
	add("/r", append(names, "m0-1"), append(ids, store.GPU{Index: 1, UUID: "GPU-0-1", Name: "x"})...)
	if n := count(t, s, `SELECT count(*) FROM metric WHERE step = 1`) - before; n > 3 {
		t.Errorf("a second with one model and one GPU that are known brought %d rows, want 3", n)
	}
	if n := count(t, s, series+`'/gpu/%'`); n != gpus {
		t.Errorf("%d GPUs, want %d", n, gpus)
	}
	if n := count(t, s, series+`'m%'`); n != models {
		t.Errorf("%d models, want %d", n, models)
	}
	if n := count(t, s, `SELECT count(*) FROM gpu`); n != gpus {
		t.Errorf("%d names of GPUs, want %d", n, gpus)
	}
	add("/other", names, ids...)
	if n := count(t, s, `SELECT count(*) FROM series WHERE repository = '/other'`); n != 201 {
		t.Errorf("another repository has %d series, want 201", n)
	}
}

// TestManyEvents: of each repository the newest events are kept.
func TestManyEvents(t *testing.T) {
	defer store.SetKeepEventsEach(1000)()
	c := newClock()
	s := open(t, store.Options{Now: c.now})
	for i := range 3500 {
		c.advance(time.Millisecond)
		s.AddEvent(store.Event{Repository: "/r", Time: c.now(), Text: fmt.Sprint("event ", i)})
	}
	s.AddEvent(store.Event{Repository: "/other", Time: c.now().Add(-time.Hour), Text: "the only one"})
	flush(t, s)
	c.advance(2 * time.Minute)
	s.AddSample(store.Sample{Repository: "/r", Time: c.now(), Covered: time.Second})
	flush(t, s)
	if n := count(t, s, `SELECT count(*) FROM event WHERE repository = '/r'`); n != 1000 {
		t.Errorf("%d events are kept, want 1000", n)
	}
	if n := count(t, s, `SELECT count(*) FROM event WHERE text IN ('event 3499', 'event 2500', 'the only one')`); n != 3 {
		t.Errorf("%d of the newest are kept, want 3", n)
	}
}
