package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// RenameModel moves the history of a model to another name, and keeps what that name has already.
func (s *Store) RenameModel(ctx context.Context, repository, from, to string) error {
	return s.rename(ctx, place{repository, from}, place{repository, to}, func(tx *sql.Tx) error {
		for _, table := range []string{"request", "event"} {
			_, err := tx.ExecContext(ctx, `UPDATE `+table+` SET model = ? WHERE repository = ? AND model = ?`, to, repository, from)
			if err != nil {
				return fmt.Errorf("rename in table %s: %w", table, err)
			}
		}
		return s.renameSeries(ctx, tx, seriesKey{repository, from}, seriesKey{repository, to})
	})
}

// RenameRepository moves all that is kept under the name of a repository to another name, and keeps what that name has already.
func (s *Store) RenameRepository(ctx context.Context, from, to string) error {
	return s.rename(ctx, place{repository: from}, place{repository: to}, func(tx *sql.Tx) error {
		for _, table := range []string{"request", "event"} {
			if _, err := tx.ExecContext(ctx, `UPDATE `+table+` SET repository = ? WHERE repository = ?`, to, from); err != nil {
				return fmt.Errorf("rename in table %s: %w", table, err)
			}
		}
		models, err := seriesOf(ctx, tx, from)
		for _, model := range models {
			if err == nil {
				err = s.renameSeries(ctx, tx, seriesKey{from, model}, seriesKey{to, model})
			}
		}
		return err
	})
}

// seriesOf lists the models of the series of a repository.
func seriesOf(ctx context.Context, tx *sql.Tx, repository string) (models []string, err error) {
	rows, err := tx.QueryContext(ctx, `SELECT model FROM series WHERE repository = ?`, repository)
	if err != nil {
		return nil, fmt.Errorf("list the series of %q: %w", repository, err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var model string
		if err := rows.Scan(&model); err != nil {
			return nil, fmt.Errorf("list the series of %q: %w", repository, err)
		}
		models = append(models, model)
	}
	return models, rows.Err()
}

// rename moves a history, after what waits to be written, and then the requests that run, or have ended meanwhile. A place without a
// model is all of its repository.
func (s *Store) rename(ctx context.Context, from, to place, move func(tx *sql.Tx) error) error {
	if err := s.Flush(ctx); err != nil {
		return err
	}
	s.flushMu.Lock()
	defer s.flushMu.Unlock()
	err := s.transact(ctx, move)
	s.forget()
	if err != nil {
		return s.explain("give the history of "+from.String()+" to "+to.String(), err)
	}
	s.moveUnwritten(from, to)
	return nil
}

func (s *Store) renameSeries(ctx context.Context, tx *sql.Tx, from, to seriesKey) error {
	var old int64
	err := tx.QueryRowContext(ctx, `SELECT id FROM series WHERE repository = ? AND model = ?`, from.repository, from.model).Scan(&old)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	} else if err != nil {
		return fmt.Errorf("find the series of %q: %w", from.model, err)
	}
	heir, err := s.seriesID(ctx, tx, to)
	if err != nil {
		return err
	}
	if heir == old {
		return nil
	}
	if err := mergeShared(ctx, tx, old, heir); err != nil {
		return err
	}
	for _, text := range []string{
		`UPDATE metric SET series = ?2 WHERE series = ?1`, `UPDATE OR REPLACE gpu SET series = ?2 WHERE series = ?1`, `DELETE FROM series WHERE id = ?1 AND id <> ?2`,
	} {
		if _, err := tx.ExecContext(ctx, text, old, heir); err != nil {
			return fmt.Errorf("rename metrics: %w", err)
		}
	}
	return nil
}

// mergeShared adds the rows of one series to the rows of another with the same buckets, and removes
// them.
func mergeShared(ctx context.Context, tx *sql.Tx, from, to int64) error {
	const shared = `m.series = ? AND EXISTS (SELECT 1 FROM metric o WHERE o.step = m.step AND o.series = ? AND o.time = m.time)`
	list, err := selectRows(ctx, tx, shared, from, to)
	if err != nil {
		return err
	}
	for _, r := range list {
		there, err := selectRows(ctx, tx, `m.step = ? AND m.series = ? AND m.time = ?`, r.step, to, r.time)
		if err != nil {
			return err
		}
		for _, other := range there {
			if err := putRow(ctx, tx, other.merge(r)); err != nil {
				return err
			}
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM metric WHERE step = ? AND series = ? AND time = ?`, r.step, from, r.time); err != nil {
			return fmt.Errorf("remove metrics: %w", err)
		}
	}
	return nil
}
