package store

import (
	"context"
	"database/sql"
	"math"
	"strings"
	"time"
)

// SummaryQuery asks what happened in a range of time as a whole.
type SummaryQuery struct {
	Repository string
	Models     []string // "" means the whole repository; nil means all models with requests in the range
	From, To   time.Time
	Points     int // of each line of rates; 0 for none
}

// Summary is what happened in a range of time. Rates are requests per second in parts of the range of
// equal length; NaN where nothing was watched.
type Summary struct {
	Covered  time.Duration
	Counters Counters
	Rates    []float64
}

// PerSecond returns n as a rate over the watched time; NaN when there was none.
func (s Summary) PerSecond(n uint64) float64 { return perSecond(n, s.Covered) }

// summaryRows is about how many rows of one series are read for a summary.
const summaryRows = 800

// Summaries sums up the series asked for. A model that is asked for by name has a summary also when it
// had no requests.
func (s *Store) Summaries(ctx context.Context, q SummaryQuery) (map[string]Summary, error) {
	all := span{summaryStep(q, s.now()), q.From.Unix(), q.To.Unix()}
	all.from = floor(all.from, all.step)
	sums := map[string]*sum{"": newSum(all, q.Points)}
	for _, model := range q.Models {
		sums[model] = newSum(all, q.Points)
	}
	if err := s.addParts(ctx, q, all, sums); err != nil {
		return nil, s.explain("sum up metrics", err)
	}
	out := map[string]Summary{}
	for model, sum := range sums {
		if model != "" || q.Models != nil {
			out[model] = sum.of(sums[""])
		}
	}
	return out, nil
}

// Models returns the models that a repository has figures of, at any time. They may not be in it any more.
func (s *Store) Models(ctx context.Context, repository string) ([]string, error) {
	s.dbMu.RLock()
	defer s.dbMu.RUnlock()
	text := `SELECT s.model FROM series s WHERE s.repository = ? AND s.model <> '' AND NOT EXISTS (SELECT 1 FROM gpu g WHERE g.series = s.id) ORDER BY s.model`
	var list []string
	err := eachRow(ctx, s.db.read, statement{text, []any{repository}}, func(rows *sql.Rows) error {
		var model string
		err := rows.Scan(&model)
		list = append(list, model)
		return err
	})
	if err != nil {
		return nil, s.explain("list the models with metrics", err)
	}
	return list, nil
}

// summaryStep picks the shortest stored step whose rows are not too many.
func summaryStep(q SummaryQuery, now time.Time) int64 {
	length := q.To.Unix() - q.From.Unix()
	for _, tier := range tiers {
		if length <= summaryRows*tier.step && !q.From.Before(now.Add(-tier.keep)) {
			return tier.step
		}
	}
	return tiers[len(tiers)-1].step
}

func (s *Store) addParts(ctx context.Context, q SummaryQuery, all span, sums map[string]*sum) error {
	s.dbMu.RLock()
	defer s.dbMu.RUnlock()
	parts, err := s.parts(ctx, q.Repository, all)
	if err != nil {
		return err
	}
	for _, part := range parts {
		if err := s.addPart(ctx, q, part, sums); err != nil {
			return err
		}
	}
	return nil
}

// addPart adds the rows of one step, and always those of the whole repository: they say what was watched.
func (s *Store) addPart(ctx context.Context, q SummaryQuery, part span, sums map[string]*sum) error {
	where, args := ` AND NOT EXISTS (SELECT 1 FROM gpu g WHERE g.series = s.id)`, []any{q.Repository, part.step, part.from, part.to}
	if q.Models != nil {
		where = ` AND s.model IN (''` + strings.Repeat(`,?`, len(q.Models)) + `)`
		for _, model := range q.Models {
			args = append(args, model)
		}
	}
	text := `SELECT s.model, ` + rowColumns + eachSeries + `WHERE s.repository = ? AND m.step = ? AND m.time >= ? AND m.time < ?` + where
	return eachRow(ctx, s.db.read, statement{text, args}, func(rows *sql.Rows) error {
		var model string
		r, err := scanRow(rows, &model)
		if err != nil {
			return err
		}
		if sums[model] == nil {
			sums[model] = newSum(span{part.step, sums[""].from, sums[""].to}, q.Points)
		}
		sums[model].add(r)
		return nil
	})
}

// sum adds up the rows of one series.
type sum struct {
	from, to int64
	covered  int64
	counters Counters
	requests []float64
	watched  []float64 // seconds, by part of the range
}

func newSum(at span, points int) *sum {
	return &sum{from: at.from, to: max(at.to, at.from+1), requests: make([]float64, points), watched: make([]float64, points)}
}

func (s *sum) add(r row) {
	s.covered += r.coveredMs
	s.counters = s.counters.Plus(r.counters)
	if len(s.requests) > 0 {
		s.spread(r)
	}
}

// spread adds a row to the parts of the range that its time is in.
func (s *sum) spread(r row) {
	n := float64(len(s.requests))
	part := float64(s.to-s.from) / n
	begin := float64(r.time-s.from) / part
	end := min(float64(r.time+r.step-s.from)/part, n)
	requests, watched := float64(r.counters.Requests+r.counters.Failures), float64(r.coveredMs)/1000
	for i := max(math.Floor(begin), 0); i < end; i++ {
		share := (min(i+1, end) - max(i, begin)) / (end - begin)
		s.requests[int(i)] += requests * share
		s.watched[int(i)] += watched * share
	}
}

// of makes the summary; the sum of the whole repository says what was watched.
func (s *sum) of(repository *sum) Summary {
	out := Summary{Covered: time.Duration(repository.covered) * time.Millisecond, Counters: s.counters}
	for i, n := range s.requests {
		rate := math.NaN()
		if watched := repository.watched[i]; watched > 0 {
			rate = n / watched
		}
		out.Rates = append(out.Rates, rate)
	}
	return out
}

func perSecond(n uint64, covered time.Duration) float64 {
	if covered <= 0 {
		return math.NaN()
	}
	return float64(n) / covered.Seconds()
}

// parts splits a span by the steps that its rows have: what is not rolled up yet has shorter ones.
func (s *Store) parts(ctx context.Context, repository string, at span) ([]span, error) {
	var list []span
	for at.step > 0 {
		end := at.to
		if finer(at.step) > 0 {
			var err error
			if end, err = s.rolledUpTo(ctx, repository, at); err != nil {
				return nil, err
			}
		}
		if end > at.from {
			list = append(list, span{at.step, at.from, min(end, at.to)})
		}
		at = span{finer(at.step), end, at.to}
	}
	return list, nil
}
