package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// partRows is about how many rows of metrics one transaction of tidy reads, or deletes. It takes some
// ten milliseconds, so other writers, such as that of unsaved texts, need not wait long, and the
// write-ahead log stays small.
const partRows = 1000

// budget is how much of a part is left.
type budget struct{ rows int64 }

func (b *budget) used() bool { return b.rows <= 0 }

// take counts the rows that a statement has changed.
func (b *budget) take(done sql.Result) error {
	n, err := done.RowsAffected()
	b.rows -= n
	if err != nil {
		return fmt.Errorf("count deleted rows: %w", err)
	}
	return nil
}

// tidy rolls up and prunes a part of what is due, in one transaction. It reports whether more is due. A
// process that ends between two parts, or in one, leaves a history from which any process can continue.
// flushMu is held.
func (s *Store) tidy(ctx context.Context) (more bool, err error) {
	if !s.tidyDue() {
		return false, nil
	}
	err = s.transact(ctx, func(tx *sql.Tx) error { return s.tidyPart(ctx, tx, &budget{partRows}) })
	if err == nil {
		return s.tidyDue(), nil
	}
	s.forget() // what was remembered in a transaction that is rolled back is wrong
	if isCorrupt(err) {
		err = s.replace(ctx)
	}
	return false, err
}

func (s *Store) tidyPart(ctx context.Context, tx *sql.Tx, left *budget) error {
	if err := s.rollUp(ctx, tx, left); err != nil {
		return err
	}
	if s.rollUpDue() || left.used() || !s.pruneDue() {
		return nil
	}
	return s.prune(ctx, tx, left)
}

func (s *Store) tidyDue() bool { return s.newest > 0 && (s.rollUpDue() || s.pruneDue()) }

func (s *Store) rollUpDue() bool {
	for _, t := range tiers[1:] {
		if s.rolled[t.step] < floor(s.newest, t.step) {
			return true
		}
	}
	return false
}

func (s *Store) pruneDue() bool { return s.now().Sub(s.lastPrune) >= pruneEvery }

// tidyMore tidies a part between two flushes, if there is something to tidy. It returns how long it took,
// and whether more can be done now. After an error the next flush tries again, and reports it.
func (s *Store) tidyMore(ctx context.Context) (took time.Duration, more bool) {
	s.flushMu.Lock()
	defer s.flushMu.Unlock()
	if s.isLocked() {
		return 0, false
	}
	begun := time.Now()
	more, err := s.tidy(ctx)
	return time.Since(begun), more && err == nil
}
