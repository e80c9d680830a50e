package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
)

// Limits of what waits while the file cannot be written.
const (
	queueLimit = 4000     // entries of each kind: about an hour of samples
	queueBytes = 64 << 20 // of requests, answers and pictures
)

// queue is what the next transaction will write.
type queue struct {
	samples  []Sample
	requests []Request
	events   []Event
}

func (q *queue) empty() bool { return len(q.samples)+len(q.requests)+len(q.events) == 0 }

// before puts an unwritten queue in front of what came meanwhile.
func (q *queue) before(later queue) queue {
	return queue{
		samples:  append(q.samples, later.samples...),
		requests: append(q.requests, later.requests...),
		events:   append(q.events, later.events...),
	}
}

// trim drops the oldest entries beyond the limits, and reports whether there were any. The newest
// request stays, however large it is.
func (q *queue) trim() (dropped bool) {
	had := len(q.samples) + len(q.requests) + len(q.events)
	q.samples, q.requests, q.events = newest(q.samples), newest(q.requests), newest(q.events)
	bytes := 0
	for i, r := range slices.Backward(q.requests) {
		if bytes += r.size(); bytes > queueBytes && i < len(q.requests)-1 {
			q.requests = slices.Clone(q.requests[i+1:])
			break
		}
	}
	return len(q.samples)+len(q.requests)+len(q.events) < had
}

func newest[T any](list []T) []T {
	return list[max(0, len(list)-queueLimit):]
}

// trim needs mu.
func (s *Store) trim() { s.dropped = s.queue.trim() || s.dropped }

// isMissing returns the end of a sentence: what was dropped from the queue since the last call, if
// anything.
func (s *Store) isMissing() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	dropped := s.dropped
	s.dropped = false
	if dropped {
		return "too much came meanwhile, so the oldest of it is missing"
	}
	return "nothing is missing"
}

// nextID returns identifiers that grow. Two processes on one file do not return the same one.
func (s *Store) nextID() int64 {
	id := s.now().UnixMicro() << 10
	id |= processBits
	if id <= s.lastID {
		id = s.lastID + 1<<10
	}
	s.lastID = id
	return id
}

// Flush writes what is queued, in one transaction. After samples it also tidies a part of the metrics.
func (s *Store) Flush(ctx context.Context) error {
	s.flushMu.Lock()
	defer s.flushMu.Unlock()
	if s.isLocked() {
		return nil // the queue waits for the file
	}
	s.mu.Lock()
	todo := s.queue
	s.queue, s.writing = queue{}, todo
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
	s.written(todo, err)
	if err == nil && len(todo.samples) > 0 {
		s.newest = todo.samples[len(todo.samples)-1].Time.Unix()
		_, err = s.tidy(ctx)
	}
	if err != nil {
		return s.explain("write history", err)
	}
	return nil
}

// written ends a write of the queue. What could not be written waits for the next one.
func (s *Store) written(todo queue, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writing = queue{}
	if err != nil {
		s.queue = todo.before(s.queue)
		s.trim()
	}
}

// owesRequests reports whether requests are not written yet.
func (s *Store) owesRequests() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.queue.requests) > 0
}

// waiting lists the requests that are not written yet and that fit, newest first. It does not wait for
// a flush, which may wait for the lock of another program.
func (s *Store) waiting(fits func(r *Request) bool) []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return fitting(fits, s.queue.requests, s.writing.requests)
}

// waitingEvents is waiting for events.
func (s *Store) waitingEvents(fits func(e *Event) bool) []Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	return fitting(fits, s.queue.events, s.writing.events)
}

// fitting lists what fits, the newest first.
func fitting[T any](fits func(*T) bool, lists ...[]T) (found []T) {
	for _, list := range lists {
		for _, one := range slices.Backward(list) {
			if fits(&one) {
				found = append(found, one)
			}
		}
	}
	return found
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
		s.forget() // what was remembered in a transaction that is rolled back is wrong
	}
	return err
}

// transact runs one transaction. It is committed when work succeeds.
func (s *Store) transact(ctx context.Context, work func(*sql.Tx) error) error {
	s.dbMu.RLock()
	defer s.dbMu.RUnlock()
	return transact(ctx, s.db.write, work)
}

// transactDrafts runs one transaction that does not wait long for the lock of another program.
func (s *Store) transactDrafts(ctx context.Context, work func(*sql.Tx) error) error {
	s.dbMu.RLock()
	defer s.dbMu.RUnlock()
	return transact(ctx, s.db.drafts, work)
}

func transact(ctx context.Context, db *sql.DB, work func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer func() { _ = tx.Rollback() }() // does nothing after a commit
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
	err := eachRow(ctx, s.db.read, statement{sqlText, args}, row)
	s.dbMu.RUnlock()
	s.repair(ctx, err)
	return err
}

// repair begins a new file when a read has found damage. That read has failed; the next one does not.
func (s *Store) repair(ctx context.Context, err error) {
	if !isCorrupt(err) {
		return
	}
	s.flushMu.Lock()
	defer s.flushMu.Unlock()
	if err := s.replace(ctx); err != nil {
		s.log.Error("the damaged history could not be replaced", "error", err)
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
