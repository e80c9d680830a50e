package store

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"time"
)

// Query asks for one series.
type Query struct {
	Repository string
	Model      string // "" means the whole repository
	From, To   time.Time
	MaxPoints  int
}

// Series is an answer: points at From, From+Step, … A point with Covered 0 was not watched.
type Series struct {
	Step   time.Duration
	Points []Point
}

// Point is the sum over one interval, which begins at Time.
type Point struct {
	Time     time.Time
	Covered  time.Duration
	CPU      time.Duration
	Memory   uint64
	Counters Counters
}

// PerSecond returns n as a rate over the watched time; NaN when there was none.
func (p Point) PerSecond(n uint64) float64 {
	if p.Covered <= 0 {
		return math.NaN()
	}
	return float64(n) / p.Covered.Seconds()
}

// Metrics reads a series at the finest resolution that is stored for the range and fits the number of
// points asked for. Points end with the newest one watched.
func (s *Store) Metrics(ctx context.Context, q Query) (Series, error) {
	stored, step := resolution(q, s.now())
	from, to := floor(q.From.Unix(), step), q.To.Unix()
	watched, err := s.rows(ctx, seriesKey{q.Repository, ""}, span{stored, from, to})
	if err != nil {
		return Series{}, s.explain("read metrics", err)
	}
	own := watched
	if q.Model != "" {
		if own, err = s.rows(ctx, seriesKey{q.Repository, q.Model}, span{stored, from, to}); err != nil {
			return Series{}, s.explain("read metrics of "+q.Model, err)
		}
	}
	return Series{Step: time.Duration(step) * time.Second, Points: points(from, step, watched, own)}, nil
}

// resolution picks the stored step, and the step of the answer, a multiple of it.
func resolution(q Query, now time.Time) (stored, step int64) {
	length := max(q.To.Unix()-q.From.Unix(), 1)
	most := int64(q.MaxPoints)
	if most <= 0 {
		most = 1000
	}
	stored = stepCoarse
	switch {
	case q.From.After(now.Add(-keepFine)) && length <= most*stepFine*2:
		stored = stepFine
	case q.From.After(now.Add(-keepMiddle)) && length <= most*stepMiddle*2:
		stored = stepMiddle
	}
	each := (length + most*stored - 1) / (most * stored)
	return stored, stored * max(each, 1)
}

func floor(t, step int64) int64 { return t / step * step }

type span struct{ step, from, to int64 }

// rows reads a series. What is not rolled up yet comes from the finer steps.
func (s *Store) rows(ctx context.Context, key seriesKey, at span) ([]row, error) {
	s.dbMu.RLock()
	defer s.dbMu.RUnlock()
	var id int64
	err := s.db.read.QueryRowContext(ctx, `SELECT id FROM series WHERE repository = ? AND model = ?`, key.repository, key.model).Scan(&id)
	if err == sql.ErrNoRows {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("find the series: %w", err)
	}
	var all []row
	for ; at.step > 0; at.step = finer(at.step) {
		list, err := selectRows(ctx, s.db.read, `m.step = ? AND m.series = ? AND m.time >= ? AND m.time < ?`, at.step, id, at.from, at.to)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
		if at.from, err = s.rolledUpTo(ctx, key.repository, at); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func finer(step int64) int64 {
	switch step {
	case stepCoarse:
		return stepMiddle
	case stepMiddle:
		return stepFine
	}
	return 0
}

// rolledUpTo returns the time up to which the repository's rows of a step are complete. All series are
// rolled up together.
func (s *Store) rolledUpTo(ctx context.Context, repository string, at span) (int64, error) {
	var last sql.NullInt64
	err := s.db.read.QueryRowContext(ctx, `SELECT max(m.time)`+eachSeries+`WHERE s.repository = ? AND s.model = '' AND m.step = ?`, repository, at.step).Scan(&last)
	if err != nil {
		return 0, fmt.Errorf("find the newest row: %w", err)
	}
	if !last.Valid {
		return at.from, nil
	}
	return max(at.from, last.Int64+at.step), nil
}

// points puts rows on a grid. watched has the times that were watched; own has the counters asked for.
func points(from, step int64, watched, own []row) []Point {
	if len(watched) == 0 {
		return nil
	}
	n := (watched[len(watched)-1].time-from)/step + 1
	list := make([]Point, n)
	for i := range list {
		list[i].Time = time.Unix(from+int64(i)*step, 0)
	}
	memory := make([]float64, n)
	for _, r := range watched {
		i := (r.time - from) / step
		list[i].Covered += time.Duration(r.coveredMs) * time.Millisecond
		list[i].CPU += time.Duration(r.cpuMs * float64(time.Millisecond))
		memory[i] += float64(r.memory) * float64(r.coveredMs)
	}
	for i := range list {
		if ms := list[i].Covered.Milliseconds(); ms > 0 {
			list[i].Memory = uint64(memory[i] / float64(ms))
		}
	}
	for _, r := range own {
		if i := (r.time - from) / step; i < n {
			list[i].Counters = list[i].Counters.Plus(r.counters)
		}
	}
	return list
}
