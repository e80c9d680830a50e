package store_test

import (
	"math"
	"testing"
	"time"

	"conch/app/store"
	"conch/engine/histogram"
)

// feed writes one sample a second: model "m" answers three requests of 1 ms in each.
func feed(t *testing.T, s *store.Store, c *clock, seconds int) {
	t.Helper()
	for i := range seconds {
		c.advance(time.Second)
		m := store.Counters{
			Requests: 3, Executions: 3, Inferences: 6, QueueNs: 300, InputNs: 30, InferNs: 3_000_000, OutputNs: 3,
			RequestNs: 3_100_000, Latency: histogram.Counts{Index: []uint32{159}, Count: []uint64{3}},
		}
		s.AddSample(store.Sample{
			Repository: "/r", Time: c.now(), Covered: time.Second, CPU: 250 * time.Millisecond, Memory: 60 << 20,
			Models: map[string]store.Counters{"m": m, "step": m, "idle": {}}, Clients: m,
		})
		if i%300 == 299 {
			flush(t, s)
		}
	}
	flush(t, s)
}

// flush writes what is queued, and tidies all that is due.
func flush(t *testing.T, s *store.Store) {
	t.Helper()
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	for s.TidyMore(t.Context()) {
	}
}

func total(series store.Series) (n uint64) {
	for _, p := range series.Points {
		n += p.Counters.Requests
	}
	return n
}

// window asks for the time up to now.
type window struct {
	model  string
	back   time.Duration
	points int
}

func query(t *testing.T, s *store.Store, c *clock, q window) store.Series {
	t.Helper()
	series, err := s.Metrics(t.Context(), store.Query{Repository: "/r", Model: q.model, From: c.now().Add(-q.back), To: c.now().Add(time.Second), MaxPoints: q.points})
	if err != nil {
		t.Fatal(err)
	}
	return series
}

func TestPointValues(t *testing.T) {
	c := newClock()
	s := open(t, store.Options{Now: c.now})
	feed(t, s, c, 30)
	series := query(t, s, c, window{"m", 40 * time.Second, 100})
	first, last := series.Points[0], series.Points[len(series.Points)-1]
	if !math.IsNaN(first.PerSecond(first.Counters.Requests)) {
		t.Errorf("before the first sample: %+v", first)
	}
	if got := last.PerSecond(last.Counters.Requests); got != 3 {
		t.Errorf("%v requests per second", got)
	}
	if last.Memory != 60<<20 || last.CPU != 250*time.Millisecond {
		t.Errorf("process values: %+v", last)
	}
	idle := query(t, s, c, window{"idle", 20 * time.Second, 100})
	if p := idle.Points[len(idle.Points)-1]; p.PerSecond(p.Counters.Requests) != 0 {
		t.Errorf("an idle model has rate %v", p.PerSecond(p.Counters.Requests))
	}
	if whole := query(t, s, c, window{"", 29 * time.Second, 100}); total(whole) != 90 {
		t.Errorf("the repository counts %d", total(whole))
	}
}

// The whole repository has the requests that clients sent, without the steps of ensembles.
func TestWholeRepositoryHasWhatClientsSent(t *testing.T) {
	c := newClock()
	s := open(t, store.Options{Now: c.now})
	feed(t, s, c, 60)
	for model, want := range map[string]uint64{"": 180, "m": 180, "step": 180} {
		if got := total(query(t, s, c, window{model, 119 * time.Second, 200})); got != want {
			t.Errorf("%q: %d requests, want %d", model, got, want)
		}
	}
}

func TestOldRowsArePruned(t *testing.T) {
	c := newClock()
	s := open(t, store.Options{Now: c.now})
	feed(t, s, c, 605)
	c.advance(4 * 24 * time.Hour)
	feed(t, s, c, 61)
	begin := c.now().Add(-5 * 24 * time.Hour)
	coarse, err := s.Metrics(t.Context(), store.Query{Repository: "/r", Model: "m", From: begin, To: c.now().Add(time.Second), MaxPoints: 2000})
	if err != nil {
		t.Fatal(err)
	}
	// The first feed was rolled up, except for its last, incomplete bucket.
	if got := total(coarse); got < 3*600 || got > 3*666 {
		t.Errorf("%d requests after pruning", got)
	}
	if rows := count(t, s, `SELECT count(*) FROM metric WHERE step = 1`); rows != 3*61 {
		t.Errorf("%d rows of one second are left", rows)
	}
	if rows := count(t, s, `SELECT count(*) FROM metric WHERE step = 10 AND time < `+"1800100000"); rows != 0 {
		t.Errorf("%d old rows of ten seconds are left", rows)
	}
}

func TestReopenedStoreRollsUpWhatWasLeft(t *testing.T) {
	c := newClock()
	dir := t.TempDir()
	first := open(t, store.Options{Dir: dir, Now: c.now})
	feed(t, first, c, 157)
	second := open(t, store.Options{Dir: dir, Now: c.now})
	feed(t, second, c, 300)
	if got := total(query(t, second, c, window{"m", 30 * time.Minute, 50})); got != 3*457 {
		t.Errorf("%d requests, want %d", got, 3*457)
	}
}
