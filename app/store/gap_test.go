package store_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"conch/app/store"
)

// watch writes samples of the repository that end at these milliseconds after the clock's time, each covering
// the time since the one before, or the time given.
func watch(t *testing.T, s *store.Store, c *clock, samples map[int]time.Duration) (begin time.Time) {
	t.Helper()
	begin = c.now()
	for _, at := range slices.Sorted(maps.Keys(samples)) {
		s.AddSample(store.Sample{Repository: "/r", Time: begin.Add(time.Duration(at) * time.Millisecond), Covered: samples[at], Memory: 1 << 20})
	}
	c.advance(time.Minute)
	flush(t, s)
	return begin
}

// seconds returns, by second after begin, whether it was watched. A second without a point is left out.
func seconds(t *testing.T, s *store.Store, begin time.Time, step time.Duration) map[int]bool {
	t.Helper()
	series, err := s.Metrics(t.Context(), store.Query{Repository: "/r", From: begin, To: begin.Add(time.Minute), Step: step})
	if err != nil {
		t.Fatal(err)
	}
	if series.Step != step {
		t.Errorf("step %v, want %v", series.Step, step)
	}
	watched := map[int]bool{}
	for _, p := range series.Points {
		watched[int(p.Time.Sub(begin)/time.Second)] = p.Covered > 0
	}
	return watched
}

func TestSecondThatWasNotWatchedIsAGap(t *testing.T) {
	c := newClock()
	s := open(t, store.Options{Now: c.now})
	begin := watch(t, s, c, map[int]time.Duration{1500: time.Second, 2500: time.Second, 4500: time.Second, 5500: time.Second})
	got := seconds(t, s, begin, time.Second)
	for second, want := range map[int]bool{0: false, 1: true, 2: true, 3: false, 4: true, 5: true} {
		if watched, there := got[second]; !there || watched != want {
			t.Errorf("second %d: a point %v, watched %v, want a point with %v", second, there, watched, want)
		}
	}
}

func TestLateSampleLeavesNoGap(t *testing.T) {
	c := newClock()
	s := open(t, store.Options{Now: c.now})
	begin := watch(t, s, c, map[int]time.Duration{990: time.Second, 2010: 1020 * time.Millisecond, 6005: 3995 * time.Millisecond})
	got := seconds(t, s, begin, time.Second)
	for second, want := range map[int]bool{0: true, 1: false, 2: true, 3: false, 4: false, 5: false, 6: true} {
		if _, there := got[second]; there != want {
			t.Errorf("second %d: a point %v, want %v", second, there, want)
		}
	}
}

func TestStepAskedForIsKept(t *testing.T) {
	c := newClock()
	s := open(t, store.Options{Now: c.now})
	feed(t, s, c, 120)
	for _, step := range []time.Duration{time.Second, 5 * time.Second, 10 * time.Second, time.Minute} {
		series, err := s.Metrics(t.Context(), store.Query{Repository: "/r", Model: "m", From: c.now().Add(-time.Minute), To: c.now().Add(time.Second), Step: step})
		if err != nil || series.Step != step {
			t.Errorf("step %v, %v, want %v", series.Step, err, step)
		}
		if at := series.Points[0].Time.Unix(); at%int64(step/time.Second) != 0 {
			t.Errorf("the first point of steps of %v is at %d", step, at)
		}
	}
	year := store.Query{Repository: "/r", From: c.now().Add(-365 * 24 * time.Hour), To: c.now(), Step: time.Second}
	if series, err := s.Metrics(t.Context(), year); err != nil || len(series.Points) > 5000 {
		t.Errorf("%d points, %v", len(series.Points), err)
	}
}
