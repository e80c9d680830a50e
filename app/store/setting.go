package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"
)

// Settings returns all settings; values are JSON to their users and text here.
func (s *Store) Settings(ctx context.Context) (map[string]string, error) {
	values := map[string]string{}
	err := s.query(ctx, `SELECT key, value FROM setting`, nil, func(rows *sql.Rows) error {
		var key, value string
		err := rows.Scan(&key, &value)
		values[key] = value
		return err
	})
	if err != nil {
		return nil, s.explain("read settings", err)
	}
	return values, nil
}

// SetSettings merges values into the settings; an empty value removes its key.
func (s *Store) SetSettings(ctx context.Context, values map[string]string) error {
	err := s.transact(ctx, func(tx *sql.Tx) error {
		for key, value := range values {
			text, args := `INSERT OR REPLACE INTO setting (key, value) VALUES (?, ?)`, []any{key, value}
			if value == "" {
				text, args = `DELETE FROM setting WHERE key = ?`, []any{key}
			}
			if _, err := tx.ExecContext(ctx, text, args...); err != nil {
				return fmt.Errorf("write setting %q: %w", key, err)
			}
		}
		return nil
	})
	if err != nil {
		return s.explain("save settings", err)
	}
	return nil
}

// IsOfRepository reports whether a setting belongs to a repository, such as what it may do. The window
// neither reads nor writes these as settings.
func IsOfRepository(key string) bool { return strings.Contains(key, "\n") }

// maxRecent is how many repositories are remembered.
const maxRecent = 20

// Recent is a repository that was opened before.
type Recent struct {
	Path   string
	Opened time.Time
}

// AddRecent remembers that a repository was opened now.
func (s *Store) AddRecent(ctx context.Context, path string) error {
	err := s.transact(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO recent (path, opened_ms) VALUES (?, ?)`, path, s.now().UnixMilli())
		if err != nil {
			return fmt.Errorf("write: %w", err)
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM recent WHERE path NOT IN (SELECT path FROM recent ORDER BY opened_ms DESC LIMIT ?)`, maxRecent)
		return err
	})
	if err != nil {
		return s.explain("remember the repository", err)
	}
	return nil
}

// ListRecent lists the repositories opened before, newest first.
func (s *Store) ListRecent(ctx context.Context) ([]Recent, error) {
	var list []Recent
	err := s.query(ctx, `SELECT path, opened_ms FROM recent ORDER BY opened_ms DESC`, nil, func(rows *sql.Rows) error {
		var r Recent
		err := rows.Scan(&r.Path, (*unixMilli)(&r.Opened))
		list = append(list, r)
		return err
	})
	if err != nil {
		return nil, s.explain("list recent repositories", err)
	}
	return list, nil
}
