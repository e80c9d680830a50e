package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// pruneEvery is how often old rows are deleted.
const pruneEvery = time.Minute

// Limits of the request history.
const (
	keepRequests     = 5000
	keepRequestBytes = 256 << 20
	keepEvents       = 400 * 24 * time.Hour
)

// eachSeries joins metric rows series by series, so that SQLite uses the primary key for each of them:
// a range of time over all series would otherwise read the whole table. CROSS JOIN fixes the order.
const eachSeries = ` FROM series s CROSS JOIN metric m ON m.series = s.id `

// rollUp makes the rows of coarser steps for all buckets that ended before now. It computes each from
// its parts and replaces it, so doing it twice, or in two processes, does no harm.
func (s *Store) rollUp(ctx context.Context, tx *sql.Tx, now int64) error {
	for _, t := range tiers[1:] {
		if err := s.rollUpStep(ctx, tx, rolling{finer(t.step), t.step, now}); err != nil {
			return err
		}
	}
	return nil
}

// rolling is one roll-up: rows of step from become rows of step to.
type rolling struct{ from, to, now int64 }

func (s *Store) rollUpStep(ctx context.Context, tx *sql.Tx, r rolling) error {
	to, end := r.to, r.now/r.to*r.to
	begin, known := s.rolled[to]
	if known && begin >= end {
		return nil
	}
	if !known {
		var err error
		if begin, err = firstUnrolled(ctx, tx, to); err != nil {
			return err
		}
	}
	merged, err := mergeParts(ctx, tx, row{step: r.from, time: begin}, row{step: to, time: end})
	if err != nil {
		return err
	}
	for _, r := range merged {
		if err := putRow(ctx, tx, r); err != nil {
			return err
		}
	}
	s.rolled[to] = end
	return nil
}

// firstUnrolled is where roll-up continues after a start: after the newest bucket.
func firstUnrolled(ctx context.Context, tx *sql.Tx, step int64) (int64, error) {
	var newest sql.NullInt64
	err := tx.QueryRowContext(ctx, `SELECT max((SELECT max(time) FROM metric WHERE step = ? AND series = s.id)) FROM series s`, step).Scan(&newest)
	if err != nil {
		return 0, fmt.Errorf("find what is rolled up: %w", err)
	}
	if !newest.Valid {
		return 0, nil
	}
	return newest.Int64 + step, nil
}

type bucket struct{ series, time int64 }

// mergeParts sums the rows of part.step from part.time up to whole.time into buckets of whole.step.
func mergeParts(ctx context.Context, tx *sql.Tx, part, whole row) (map[bucket]row, error) {
	merged := map[bucket]row{}
	st := statement{`SELECT ` + rowColumns + eachSeries + `AND m.step = ? AND m.time >= ? AND m.time < ?`, []any{part.step, part.time, whole.time}}
	err := eachRow(ctx, tx, st, func(rows *sql.Rows) error {
		r, err := scanRow(rows)
		if err != nil {
			return err
		}
		key := bucket{r.series, r.time / whole.step * whole.step}
		r.step, r.time, r.spread = whole.step, key.time, r.extents()
		if sum, ok := merged[key]; ok {
			r = sum.merge(r)
		}
		merged[key] = r
		return nil
	})
	return merged, err
}

// prune deletes what is older than its time limit.
func (s *Store) prune(ctx context.Context, tx *sql.Tx) error {
	now := s.now()
	if now.Sub(s.lastPrune) < pruneEvery {
		return nil
	}
	s.lastPrune = now
	for _, t := range tiers {
		before := now.Add(-t.keep).Unix()
		if t.step == stepFine {
			var err error
			if before, err = fineBefore(ctx, tx, now); err != nil {
				return err
			}
		}
		if err := pruneStep(ctx, tx, t.step, before); err != nil {
			return err
		}
	}
	_, err := tx.ExecContext(ctx, `DELETE FROM event WHERE time_ms < ?`, now.Add(-keepEvents).UnixMilli())
	if err != nil {
		return fmt.Errorf("delete old events: %w", err)
	}
	return pruneRequests(ctx, tx)
}

func pruneStep(ctx context.Context, tx *sql.Tx, step, before int64) error {
	var ids []int64
	err := eachRow(ctx, tx, statement{`SELECT id FROM series`, nil}, func(rows *sql.Rows) error {
		var id int64
		err := rows.Scan(&id)
		ids = append(ids, id)
		return err
	})
	if err != nil {
		return err
	}
	for _, id := range ids {
		_, err := tx.ExecContext(ctx, `DELETE FROM metric WHERE step = ? AND series = ? AND time < ?`, step, id, before)
		if err != nil {
			return fmt.Errorf("delete old metrics: %w", err)
		}
	}
	return nil
}

// pruneRequests keeps the newest requests, as many as the limits of number and size allow.
func pruneRequests(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM request WHERE id <= (
		SELECT max(id) FROM (
			SELECT id,
				row_number() OVER newer AS place,
				sum(coalesce(length(request), 0) + coalesce(length(response), 0)) OVER newer AS bytes
			FROM request WINDOW newer AS (ORDER BY id DESC)
		) WHERE place > ? OR bytes > ?)`, keepRequests, keepRequestBytes)
	if err != nil {
		return fmt.Errorf("delete old requests: %w", err)
	}
	return nil
}
