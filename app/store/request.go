package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// ErrNotFound means that there is no such entry, or that it was pruned.
var ErrNotFound = errors.New("the request is not in the history any more: old requests are removed from it")

// Request is one request that was tried. Bodies are as the caller gave them, already cut to size.
type Request struct {
	ID           int64
	Repository   string
	Time         time.Time
	Model        string
	Version      string
	OK           bool
	Stopped      bool // by the user
	Error        string
	Took         time.Duration
	Summary      string
	RequestBody  []byte
	ResponseBody []byte
	Pictures     []Picture // that it was made of; not read back with it
}

// BeginRequest queues a request that runs for the next write and returns its identifier. r is what a later start reads of it if
// EndRequest is never called. This program does not list it until then.
func (s *Store) BeginRequest(r Request) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.ID = s.nextID()
	s.running[r.ID] = place{r.Repository, r.Model}
	s.enqueue(r)
	return r.ID
}

// EndRequest writes how a request ended. It is of the repository and the model that were renamed meanwhile.
func (s *Store) EndRequest(r Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now, is := s.running[r.ID]; is {
		r.Repository, r.Model = now.repository, now.model
		delete(s.running, r.ID)
	}
	s.enqueue(r)
}

// enqueue needs mu. A request that is not written yet is replaced.
func (s *Store) enqueue(r Request) {
	same := func(one Request) bool { return one.ID == r.ID }
	if i := slices.IndexFunc(s.queue.requests, same); i >= 0 {
		s.queue.requests[i] = r
	} else {
		s.queue.requests = append(s.queue.requests, r)
	}
	s.trim()
}

// place is where a request is listed.
type place struct{ repository, model string }

func (p place) String() string { return cmp.Or(p.model, p.repository) }

// moved returns the place after a rename.
func (p place) moved(from, to place) place {
	switch {
	case p == from:
		return to
	case from.model == "" && p.repository == from.repository:
		return place{to.repository, p.model}
	}
	return p
}

// moveUnwritten moves requests that run, and those that wait to be written.
func (s *Store) moveUnwritten(from, to place) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, at := range s.running {
		s.running[id] = at.moved(from, to)
	}
	for i := range s.queue.requests {
		r := &s.queue.requests[i]
		at := place{r.Repository, r.Model}.moved(from, to)
		r.Repository, r.Model = at.repository, at.model
	}
}

// moment tells which requests do not run in this program at a moment, and had begun.
type moment struct {
	running map[int64]place
	last    int64 // an identifier of this process; what begins later has a higher one
}

func (s *Store) moment() moment {
	s.mu.Lock()
	defer s.mu.Unlock()
	return moment{maps.Clone(s.running), s.nextID()}
}

func (m moment) ended(id int64) bool {
	_, runs := m.running[id]
	return !runs && (id <= m.last || id&processMask != processBits)
}

func insertRequests(ctx context.Context, tx *sql.Tx, list []Request) error {
	for _, r := range list {
		_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO request
			(id, repository, time_ms, model, version, ok, stopped, error, took_ns, summary, request, response)
			VALUES (?,?,?,?,?,?,?,?,?,?,?,?)`,
			r.ID, r.Repository, r.Time.UnixMilli(), r.Model, r.Version, r.OK, r.Stopped, r.Error, int64(r.Took), r.Summary,
			r.RequestBody, r.ResponseBody)
		if err != nil {
			return fmt.Errorf("write a request: %w", err)
		}
		if err := insertPictures(ctx, tx, r.Time, r.Pictures); err != nil {
			return err
		}
	}
	return nil
}

const requestColumns = `id, repository, time_ms, model, version, ok, stopped, error, took_ns, summary`

// Requests lists the newest requests that ended, newest first, without their bodies; model "" means all.
func (s *Store) Requests(ctx context.Context, repository, model string, limit int) ([]Request, error) {
	now := s.moment()
	list := s.waiting(func(r *Request) bool {
		return r.Repository == repository && (model == "" || r.Model == model) && now.ended(r.ID)
	})
	err := s.query(ctx, `SELECT `+requestColumns+` FROM request
		WHERE repository = ? AND (? = '' OR model = ?) AND (id <= ? OR id & ? <> ?) ORDER BY id DESC LIMIT ?`,
		[]any{repository, model, model, now.last, processMask, processBits, limit + len(now.running)}, func(rows *sql.Rows) error {
			var r Request
			err := rows.Scan(r.fields()...)
			if now.ended(r.ID) {
				list = append(list, r)
			}
			return err
		})
	if err != nil {
		return nil, s.explain("read history", err)
	}
	// A request that was written between the two reads is in both.
	slices.SortStableFunc(list, func(a, b Request) int { return cmp.Compare(b.ID, a.ID) })
	list = slices.CompactFunc(list, func(a, b Request) bool { return a.ID == b.ID })
	return list[:min(len(list), limit)], nil
}

// Request reads one request with its bodies.
func (s *Store) Request(ctx context.Context, id int64) (Request, error) {
	if list := s.waiting(func(r *Request) bool { return r.ID == id }); len(list) > 0 {
		return list[0], nil
	}
	var found []Request
	err := s.query(ctx, `SELECT `+requestColumns+`, request, response FROM request WHERE id = ?`, []any{id}, func(rows *sql.Rows) error {
		var r Request
		err := rows.Scan(append(r.fields(), &r.RequestBody, &r.ResponseBody)...)
		found = append(found, r)
		return err
	})
	if err != nil {
		return Request{}, s.explain("read history", err)
	}
	if len(found) == 0 {
		return Request{}, ErrNotFound
	}
	return found[0], nil
}

// fields are the destinations of a row without bodies.
func (r *Request) fields() []any {
	return []any{&r.ID, &r.Repository, (*unixMilli)(&r.Time), &r.Model, &r.Version, &r.OK, &r.Stopped, &r.Error, &r.Took, &r.Summary}
}

// unixMilli reads a column of Unix milliseconds into a time.
type unixMilli time.Time

// Scan implements sql.Scanner.
func (t *unixMilli) Scan(value any) error {
	ms, ok := value.(int64)
	if !ok {
		return fmt.Errorf("read a time: got %T", value)
	}
	*t = unixMilli(time.UnixMilli(ms))
	return nil
}
