package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// tier is one resolution: the step of its rows in seconds, and how long they are kept.
type tier struct {
	step int64
	keep time.Duration
}

const (
	stepFine   = 1
	stepMiddle = 10
	stepCoarse = 300
	stepHour   = 3600
)

const day = 24 * time.Hour

// tiers are all resolutions, the finest first. Each is rolled up from the one before it.
var tiers = []tier{{stepFine, day + time.Hour}, {stepMiddle, 3 * day}, {stepCoarse, 35 * day}, {stepHour, 400 * day}}

// finer returns the step that rows of a step are rolled up from; 0 for the finest.
func finer(step int64) int64 {
	var before int64
	for _, t := range tiers {
		if t.step == step {
			return before
		}
		before = t.step
	}
	return 0
}

// crowdedBytes is the size of the history above which rows of one second are deleted earlier: an hour of
// them each time, down to the last leastFine.
var crowdedBytes int64 = 1 << 30

const leastFine = 2 * time.Hour

// fineBefore returns the time before which rows of the finest step are deleted.
func fineBefore(ctx context.Context, tx *sql.Tx, now time.Time) (int64, error) {
	before := now.Add(-tiers[0].keep).Unix()
	var used int64
	err := tx.QueryRowContext(ctx, `SELECT (c.page_count - f.freelist_count) * s.page_size
		FROM pragma_page_count() c, pragma_freelist_count() f, pragma_page_size() s`).Scan(&used)
	if err != nil {
		return 0, fmt.Errorf("measure the history: %w", err)
	}
	if used <= crowdedBytes {
		return before, nil
	}
	var oldest sql.NullInt64
	err = tx.QueryRowContext(ctx, `SELECT min((SELECT min(time) FROM metric WHERE step = ? AND series = s.id)) FROM series s`, stepFine).Scan(&oldest)
	if err != nil {
		return 0, fmt.Errorf("find the oldest row: %w", err)
	}
	return max(before, min(oldest.Int64+int64(time.Hour/time.Second), now.Add(-leastFine).Unix())), nil
}
