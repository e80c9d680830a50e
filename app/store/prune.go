package store

import (
	"context"
	"database/sql"
	"errors"
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

// keepEventsEach is how many events of a repository are kept. A server elsewhere may cause new ones every second.
var keepEventsEach = 10_000

// prune deletes what is older than its time limit, until the budget is used. Everything is rolled up
// before.
func (s *Store) prune(ctx context.Context, tx *sql.Tx, left *budget) error {
	now := s.now()
	ids, err := seriesIDs(ctx, tx)
	if err != nil {
		return err
	}
	for _, t := range tiers {
		before := now.Add(-t.keep).Unix()
		if t.step == stepFine {
			if before, err = fineBefore(ctx, tx, now); err != nil {
				return err
			}
		}
		for _, id := range ids {
			if err := pruneSeries(ctx, tx, row{step: t.step, series: id, time: before}, left); err != nil || left.used() {
				return err
			}
		}
	}
	if err := pruneEvents(ctx, tx, now.Add(-keepEvents), left); err != nil || left.used() {
		return err
	}
	s.lastPrune = now
	if err := pruneRequests(ctx, tx); err != nil {
		return err
	}
	return prunePictures(ctx, tx)
}

func seriesIDs(ctx context.Context, tx *sql.Tx) ([]int64, error) {
	var ids []int64
	err := eachRow(ctx, tx, statement{`SELECT id FROM series`, nil}, func(rows *sql.Rows) error {
		var id int64
		err := rows.Scan(&id)
		ids = append(ids, id)
		return err
	})
	return ids, err
}

// pruneSeries deletes the rows of a step and series that are older than a time: the oldest first, and
// no more than the budget allows.
func pruneSeries(ctx context.Context, tx *sql.Tx, before row, left *budget) error {
	const these = ` FROM metric WHERE step = ? AND series = ? AND time < ?`
	until := before.time
	err := tx.QueryRowContext(ctx, `SELECT time`+these+` ORDER BY time LIMIT 1 OFFSET ?`, before.step, before.series, before.time, left.rows).Scan(&until)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("find old metrics: %w", err)
	}
	done, err := tx.ExecContext(ctx, `DELETE`+these, before.step, before.series, until)
	if err != nil {
		return fmt.Errorf("delete old metrics: %w", err)
	}
	return left.take(done)
}

func pruneEvents(ctx context.Context, tx *sql.Tx, before time.Time, left *budget) error {
	done, err := tx.ExecContext(ctx, `DELETE FROM event WHERE id IN (SELECT id FROM event WHERE time_ms < ? LIMIT ?)`, before.UnixMilli(), left.rows)
	if err != nil {
		return fmt.Errorf("delete old events: %w", err)
	}
	if err := left.take(done); err != nil || left.used() {
		return err
	}
	done, err = tx.ExecContext(ctx, `DELETE FROM event WHERE id IN (
		SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY repository ORDER BY time_ms DESC) AS place FROM event) WHERE place > ? LIMIT ?)`,
		keepEventsEach, left.rows)
	if err != nil {
		return fmt.Errorf("delete events of which there are too many: %w", err)
	}
	return left.take(done)
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
