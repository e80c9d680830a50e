package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
)

// queueLimit bounds what may wait while the disk cannot be written: about an hour of seconds.
const queueLimit = 4000

// queue is what the next transaction will write.
type queue struct {
	samples  []Sample
	requests []Request
	events   []Event
}

func (q *queue) empty() bool { return len(q.samples)+len(q.requests)+len(q.events) == 0 }

// before puts an unwritten queue back in front of what came meanwhile, dropping the oldest beyond the limit.
func (q *queue) before(later queue) queue {
	return queue{
		samples:  newest(append(q.samples, later.samples...)),
		requests: newest(append(q.requests, later.requests...)),
		events:   newest(append(q.events, later.events...)),
	}
}

func newest[T any](list []T) []T {
	return list[max(0, len(list)-queueLimit):]
}

// nextID gives identifiers that rise, and that two processes on one file will not both give.
func (s *Store) nextID() int64 {
	id := s.now().UnixMicro() << 10
	id |= processBits
	if id <= s.lastID {
		id = s.lastID + 1<<10
	}
	s.lastID = id
	return id
}

// Flush writes what is queued, rolls up and prunes, in one transaction.
func (s *Store) Flush(ctx context.Context) error {
	s.flushMu.Lock()
	defer s.flushMu.Unlock()
	if s.isLocked() {
		return nil // it waits for the file
	}
	s.mu.Lock()
	todo := s.queue
	s.queue = queue{}
	s.mu.Unlock()
	if todo.empty() {
		return nil
	}
	err := s.writeAll(ctx, todo)
	if isCorrupt(err) {
		if err = s.replace(ctx); err == nil {
			err = s.writeAll(ctx, todo)
		}
	}
	if err != nil {
		s.mu.Lock()
		s.queue = todo.before(s.queue)
		s.mu.Unlock()
		return s.explain("write history", err)
	}
	return nil
}

// waiting lists the requests that could not be written yet and that fit, newest first.
func (s *Store) waiting(fits func(r *Request) bool) []Request {
	s.flushMu.Lock() // a flush in progress holds them
	defer s.flushMu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []Request
	for _, r := range slices.Backward(s.queue.requests) {
		if fits(&r) {
			list = append(list, r)
		}
	}
	return list
}

func (s *Store) writeAll(ctx context.Context, todo queue) error {
	err := s.transact(ctx, func(tx *sql.Tx) error {
		if err := insertRequests(ctx, tx, todo.requests); err != nil {
			return err
		}
		if err := insertEvents(ctx, tx, todo.events); err != nil {
			return err
		}
		return s.insertSamples(ctx, tx, todo.samples)
	})
	if err != nil {
		s.forget() // what a rolled back transaction taught is not true
	}
	return err
}

// transact runs one transaction, committed when work succeeds.
func (s *Store) transact(ctx context.Context, work func(*sql.Tx) error) error {
	s.dbMu.RLock()
	defer s.dbMu.RUnlock()
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer func() { _ = tx.Rollback() }() // after a commit this does nothing
	if err := work(tx); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

// query runs a read; row is called for each row of the answer.
func (s *Store) query(ctx context.Context, sqlText string, args []any, row func(*sql.Rows) error) error {
	s.dbMu.RLock()
	err := eachRow(ctx, s.db, statement{sqlText, args}, row)
	s.dbMu.RUnlock()
	s.repair(ctx, err)
	return err
}

// repair begins a fresh file when a read met damage; that read has failed, the next will not.
func (s *Store) repair(ctx context.Context, err error) {
	if !isCorrupt(err) {
		return
	}
	s.flushMu.Lock()
	defer s.flushMu.Unlock()
	if err := s.replace(ctx); err != nil {
		s.log.Error("damaged history was not replaced", "error", err)
	}
}

type statement struct {
	text string
	args []any
}

type queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

func eachRow(ctx context.Context, q queryer, st statement, row func(*sql.Rows) error) error {
	rows, err := q.QueryContext(ctx, st.text, st.args...)
	if err != nil {
		return fmt.Errorf("query: %w", err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := row(rows); err != nil {
			return fmt.Errorf("read row: %w", err)
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read rows: %w", err)
	}
	return nil
}
