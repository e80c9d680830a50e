package store

import (
	"context"
	"database/sql"
	"fmt"
)

// eachSeries joins metric rows series by series, so that SQLite uses the primary key for each of them:
// a range of time over all series would otherwise read the whole table. CROSS JOIN fixes the order.
const eachSeries = ` FROM series s CROSS JOIN metric m ON m.series = s.id `

// rollUp makes the rows of coarser steps for the buckets that ended before the newest sample. It
// computes each from its parts and replaces it, so doing it twice, or in two processes, does no harm.
// It handles the oldest buckets that are missing, until the budget is used.
func (s *Store) rollUp(ctx context.Context, tx *sql.Tx, left *budget) error {
	for _, t := range tiers[1:] {
		end := floor(s.newest, t.step)
		for s.rolled[t.step] < end {
			if left.used() {
				return nil // a coarser step needs all of this one
			}
			rolled, err := s.rollUpPart(ctx, tx, row{step: t.step, time: end}, left)
			if err != nil {
				return err
			}
			s.rolled[t.step] = rolled
		}
	}
	return nil
}

// rollUpPart rolls up the oldest buckets of whole.step before whole.time that are missing. It returns
// the time up to which no bucket is missing now.
func (s *Store) rollUpPart(ctx context.Context, tx *sql.Tx, whole row, left *budget) (int64, error) {
	part := row{step: finer(whole.step)}
	missing, err := firstUnrolled(ctx, tx, whole.step)
	if err != nil {
		return 0, err
	}
	oldest, found, err := oldestRow(ctx, tx, part.step, missing)
	if err != nil || !found || oldest >= whole.time {
		return whole.time, err
	}
	part.time = floor(oldest, whole.step)
	length, err := partLength(ctx, tx, whole.step)
	if err != nil {
		return 0, err
	}
	whole.time = min(whole.time, part.time+length)
	merged, err := mergeParts(ctx, tx, part, whole, left)
	if err != nil {
		return 0, err
	}
	for _, r := range merged {
		if err := putRow(ctx, tx, r); err != nil {
			return 0, err
		}
	}
	return whole.time, nil
}

// partLength returns the length of a part of the roll-up to a step, in whole buckets. All series
// together have at most about partRows rows in it.
func partLength(ctx context.Context, tx *sql.Tx, step int64) (int64, error) {
	var series int64
	if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM series`).Scan(&series); err != nil {
		return 0, fmt.Errorf("count the series: %w", err)
	}
	return step * max(1, partRows*finer(step)/(max(series, 1)*step)), nil
}

// firstUnrolled returns where the roll-up to a step continues: after the newest bucket. All series are
// rolled up together.
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

// oldestRow returns the time of the oldest row of a step at a time or after it.
func oldestRow(ctx context.Context, tx *sql.Tx, step, from int64) (at int64, found bool, err error) {
	var oldest sql.NullInt64
	err = tx.QueryRowContext(ctx, `SELECT min((SELECT min(time) FROM metric WHERE step = ? AND series = s.id AND time >= ?)) FROM series s`, step, from).Scan(&oldest)
	if err != nil {
		return 0, false, fmt.Errorf("find the oldest row: %w", err)
	}
	return oldest.Int64, oldest.Valid, nil
}

type bucket struct{ series, time int64 }

// mergeParts sums the rows of part.step from part.time up to whole.time into buckets of whole.step.
func mergeParts(ctx context.Context, tx *sql.Tx, part, whole row, left *budget) (map[bucket]row, error) {
	merged := map[bucket]row{}
	st := statement{`SELECT ` + rowColumns + eachSeries + `AND m.step = ? AND m.time >= ? AND m.time < ?`, []any{part.step, part.time, whole.time}}
	err := eachRow(ctx, tx, st, func(rows *sql.Rows) error {
		r, err := scanRow(rows)
		if err != nil {
			return err
		}
		left.rows--
		key := bucket{r.series, floor(r.time, whole.step)}
		r.step, r.time, r.spread = whole.step, key.time, r.extents()
		if sum, ok := merged[key]; ok {
			r = sum.merge(r)
		}
		merged[key] = r
		return nil
	})
	return merged, err
}
