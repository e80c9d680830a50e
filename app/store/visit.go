package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
)

// maxVisits is how many repositories are remembered with the place of the last visit.
const maxVisits = 50

// AddVisit notes that these folders were opened together now, as the repository of this key.
func (s *Store) AddVisit(ctx context.Context, repository string, roots []string) error {
	list, err := json.Marshal(roots)
	if err != nil {
		return fmt.Errorf("write the folders of a repository: %w", err)
	}
	err = s.transact(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO visit (repository, roots, opened_ms, place) VALUES (?1, ?2, ?3, '')
			ON CONFLICT (repository) DO UPDATE SET roots = ?2, opened_ms = ?3`, repository, string(list), s.now().UnixMilli())
		if err != nil {
			return fmt.Errorf("write: %w", err)
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM visit WHERE repository NOT IN
			(SELECT repository FROM visit ORDER BY opened_ms DESC, rowid DESC LIMIT ?)`, maxVisits)
		return err
	})
	if err != nil {
		return s.explain("remember the repository", err)
	}
	return nil
}

// LastVisit returns the folders that were opened last; none when there never were any.
func (s *Store) LastVisit(ctx context.Context) (roots []string, err error) {
	list, err := s.oneText(ctx, `SELECT roots FROM visit ORDER BY opened_ms DESC, rowid DESC LIMIT 1`)
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal([]byte(list), &roots)
	}
	if err != nil {
		return nil, s.explain("read which repository was open last", err)
	}
	return roots, nil
}

// Place returns what KeepPlace stored last for a repository; "" at first.
func (s *Store) Place(ctx context.Context, repository string) (string, error) {
	place, err := s.oneText(ctx, `SELECT place FROM visit WHERE repository = ?`, repository)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return "", s.explain("read where you were", err)
	}
	return place, nil
}

// KeepPlace stores where the user is in a repository that was visited.
func (s *Store) KeepPlace(ctx context.Context, repository, place string) error {
	err := s.transact(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE visit SET place = ? WHERE repository = ?`, place, repository)
		return err
	})
	if err != nil {
		return s.explain("remember where you are", err)
	}
	return nil
}

// oneText reads a column of one row; ErrNotFound when there is none.
func (s *Store) oneText(ctx context.Context, text string, args ...any) (string, error) {
	var found []string
	err := s.query(ctx, text, args, func(rows *sql.Rows) error {
		var value string
		err := rows.Scan(&value)
		found = append(found, value)
		return err
	})
	switch {
	case err != nil:
		return "", err
	case len(found) == 0:
		return "", ErrNotFound
	}
	return found[0], nil
}
