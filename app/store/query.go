package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// Query asks for one series.
type Query struct {
	Repository string
	Model      string // "" means the whole repository
	From, To   time.Time
	MaxPoints  int
	Step       time.Duration // of the answer; 0 means that MaxPoints decides
}

// Series is an answer: points in steps from From to the newest point watched. Steps that were not
// watched have Covered 0. A step without a point was watched with the point after it.
type Series struct {
	Step   time.Duration
	GPUs   []GPU // that told something in the range
	Points []Point
}

// Point is the sum over one interval, which begins at Time. The extents are those of its seconds.
type Point struct {
	Time         time.Time
	Covered      time.Duration
	Measured     time.Duration // the part of it in which processor and memory were known
	CPU          time.Duration
	Memory       uint64
	Counters     Counters
	Rate         Extent     // requests per second, failed ones too
	CPUExtent    Extent     // processor seconds for each second
	MemoryExtent Extent     // bytes
	GPUs         []GPUPoint // one for each GPU of the series
}

// PerSecond returns n as a rate over the watched time; NaN when there was none.
func (p Point) PerSecond(n uint64) float64 { return perSecond(n, p.Covered) }

// Metrics reads a series in the step asked for, or in the finest step that fits the number of points
// asked for. The step is longer where only longer ones are stored.
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
	gpus, err := s.ofGPUs(ctx, q.Repository, span{stored, from, to})
	if err != nil {
		return Series{}, s.explain("read metrics of the GPUs", err)
	}
	g := grid{from: from, step: step, stored: stored}
	series := Series{Step: time.Duration(step) * time.Second, Points: g.points(watched, own, gpus)}
	for _, of := range gpus {
		series.GPUs = append(series.GPUs, of.gpu)
	}
	return series, nil
}

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
	parts, err := s.parts(ctx, key.repository, at)
	if err != nil {
		return nil, err
	}
	var all []row
	for _, part := range parts {
		list, err := selectRows(ctx, s.db.read, `m.step = ? AND m.series = ? AND m.time >= ? AND m.time < ?`, part.step, id, part.from, part.to)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	return all, nil
}

// rolledUpTo returns the time up to which the repository's rows of a step are complete. All series are
// rolled up together.
func (s *Store) rolledUpTo(ctx context.Context, repository string, at span) (int64, error) {
	var last sql.NullInt64
	err := s.db.read.QueryRowContext(ctx, `SELECT max(time) FROM metric WHERE step = ?
		AND series = (SELECT id FROM series WHERE repository = ? AND model = '')`, at.step, repository).Scan(&last)
	if err != nil {
		return 0, fmt.Errorf("find the newest row: %w", err)
	}
	if !last.Valid {
		return at.from, nil
	}
	return max(at.from, last.Int64+at.step), nil
}
