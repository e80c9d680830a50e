package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"
)

// Event is something that a person was told: a reload, a failure, an engine restart.
type Event struct {
	ID         int64
	Repository string
	Time       time.Time
	Level      int
	Model      string
	Text       string
}

// AddEvent queues an event for the next write and returns its identifier.
func (s *Store) AddEvent(e Event) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	e.ID = s.nextID()
	s.queue.events = append(s.queue.events, e)
	s.trim()
	return e.ID
}

func insertEvents(ctx context.Context, tx *sql.Tx, list []Event) error {
	for _, e := range list {
		_, err := tx.ExecContext(ctx, `INSERT INTO event (id, repository, time_ms, level, model, text) VALUES (?,?,?,?,?,?)`,
			e.ID, e.Repository, e.Time.UnixMilli(), e.Level, e.Model, e.Text)
		if err != nil {
			return fmt.Errorf("write an event: %w", err)
		}
	}
	return nil
}

// maxEvents limits one answer: a chart with more marks cannot be read.
const maxEvents = 500

// Events lists the newest events in a query's range, oldest first. Events of a model include the
// engine's own. Those that are not written yet are among them.
func (s *Store) Events(ctx context.Context, q Query) ([]Event, error) {
	list := s.waitingEvents(func(e *Event) bool {
		return e.Repository == q.Repository && !e.Time.Before(q.From) && e.Time.Before(q.To) && (q.Model == "" || e.Model == q.Model || e.Model == "")
	})
	err := s.query(ctx, `SELECT * FROM (SELECT id, repository, time_ms, level, model, text FROM event
		WHERE repository = ? AND time_ms >= ? AND time_ms < ? AND (? = '' OR model = ? OR model = '')
		ORDER BY time_ms DESC LIMIT ?) ORDER BY time_ms`,
		[]any{q.Repository, q.From.UnixMilli(), q.To.UnixMilli(), q.Model, q.Model, maxEvents}, func(rows *sql.Rows) error {
			var e Event
			err := rows.Scan(&e.ID, &e.Repository, (*unixMilli)(&e.Time), &e.Level, &e.Model, &e.Text)
			list = append(list, e)
			return err
		})
	if err != nil {
		return nil, fmt.Errorf("list events: %w", err)
	}
	// An event that was written between the two reads is in both.
	slices.SortStableFunc(list, func(a, b Event) int { return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.ID, b.ID)) })
	list = slices.CompactFunc(list, func(a, b Event) bool { return a.ID == b.ID })
	return list[max(0, len(list)-maxEvents):], nil
}
