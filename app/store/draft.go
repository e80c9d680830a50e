package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// Draft is a text that is edited and not saved.
type Draft struct {
	// Root is the real path of the repository's root, and Path the file's path relative to it.
	Root, Path string
	Text       string
	// BaseVersion and BaseText are the file on disk that the edit began from.
	BaseVersion, BaseText string
	// Version grows with every change. Of two texts of one file the one with the greater version
	// stays.
	Version uint64
	Changed time.Time
}

// SaveDrafts writes drafts, and removes those of removed whose version is not newer. On an error
// nothing changes. While another program has the file locked it fails with ErrLocked after draftWait,
// and the caller writes the drafts to recovery files.
func (s *Store) SaveDrafts(ctx context.Context, drafts, removed []Draft) error {
	if err := s.takesDrafts(); err != nil {
		return err
	}
	write := func() error {
		return s.transactDrafts(ctx, func(tx *sql.Tx) error {
			for _, d := range drafts {
				if err := putDraft(ctx, tx, d); err != nil {
					return err
				}
			}
			for _, d := range removed {
				_, err := tx.ExecContext(ctx, `DELETE FROM draft WHERE root = ? AND path = ? AND version <= ?`, d.Root, d.Path, int64(d.Version))
				if err != nil {
					return fmt.Errorf("remove the draft of %s: %w", d.Path, err)
				}
			}
			return nil
		})
	}
	err := write()
	if isCorrupt(err) {
		s.repair(ctx, err)
		err = write()
	}
	if err != nil {
		return s.explain("keep unsaved texts", err)
	}
	return nil
}

func putDraft(ctx context.Context, tx *sql.Tx, d Draft) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO draft (root, path, text, base_version, base_text, version, changed_ms)
		VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (root, path) DO UPDATE SET text = excluded.text, base_version = excluded.base_version,
			base_text = excluded.base_text, version = excluded.version, changed_ms = excluded.changed_ms
		WHERE excluded.version > draft.version`,
		d.Root, d.Path, d.Text, d.BaseVersion, d.BaseText, int64(d.Version), d.Changed.UnixMilli())
	if err != nil {
		return fmt.Errorf("write the draft of %s: %w", d.Path, err)
	}
	return nil
}

// Drafts lists the drafts of a root by path.
func (s *Store) Drafts(ctx context.Context, root string) ([]Draft, error) {
	if err := s.takesDrafts(); err != nil {
		return nil, err
	}
	var list []Draft
	const text = `SELECT path, text, base_version, base_text, version, changed_ms FROM draft WHERE root = ? ORDER BY path`
	err := s.query(ctx, text, []any{root}, func(rows *sql.Rows) error {
		d := Draft{Root: root}
		var version int64
		err := rows.Scan(&d.Path, &d.Text, &d.BaseVersion, &d.BaseText, &version, (*unixMilli)(&d.Changed))
		d.Version = uint64(version)
		list = append(list, d)
		return err
	})
	if err != nil {
		return nil, s.explain("read unsaved texts", err)
	}
	return list, nil
}
