package store

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"

	"conch/app/userfile"
	"conch/engine/userdir"
)

// temporaryFolder begins the names of the folders for a temporary history.
const temporaryFolder = "conch-history"

// MakeTemporary makes a folder for a temporary history: in the data folder, or else in the user's cache
// folder. The folder for temporary files is the last choice, since cleaners remove files there while
// they are in use.
func MakeTemporary(dataDir string) (*userfile.Scratch, error) {
	parents := []string{dataDir}
	if cache := userdir.Cache(); cache != "" {
		parents = append(parents, cache)
	}
	for _, parent := range parents {
		if userfile.MakeDir(parent) != nil {
			continue
		}
		if made, err := userfile.MakeScratch(parent, temporaryFolder); err == nil {
			return made, nil
		}
	}
	made, err := userfile.MakeScratch("", temporaryFolder)
	if err != nil {
		return nil, fmt.Errorf("make a folder for history: %w", err)
	}
	return made, nil
}

// openTemporary opens a temporary file, since another program has the one of path locked.
func (s *Store) openTemporary(ctx context.Context, path string) (err error) {
	if s.temporary, err = MakeTemporary(filepath.Dir(path)); err != nil {
		return err
	}
	if s.db, err = s.opener(filepath.Join(s.temporary.Path(), FileName)).open(ctx); err != nil {
		s.removeTemporary()
	}
	return err
}

// taking takes over rows of the tables whose rows have keys of their own: they replace rows with the same key, which are older.
// What reloads by itself is merged by model, and a visit without a place keeps the place of before. Without a WHERE, SQLite would
// read ON CONFLICT as part of a join. Rows of other tables wait in the queue while
// the file is locked. Drafts are in recovery files: they may differ from those in the file, and none
// replaces another without a question.
var taking = []struct {
	rows string
	args []any
}{
	{`INSERT INTO main.setting (key, value) SELECT key, value FROM temporary.setting WHERE true
		ON CONFLICT (key) DO UPDATE SET value = CASE
			WHEN substr(key, 1, length(?1)) = ?1 AND json_valid(value) THEN json_patch(value, excluded.value)
			ELSE excluded.value END`, []any{reloadSetting}},
	{`INSERT OR REPLACE INTO main.recent SELECT * FROM temporary.recent`, nil},
	{`INSERT INTO main.visit (repository, roots, opened_ms, place) SELECT repository, roots, opened_ms, place FROM temporary.visit WHERE true
		ON CONFLICT (repository) DO UPDATE SET roots = excluded.roots, opened_ms = excluded.opened_ms,
			place = CASE excluded.place WHEN '' THEN place ELSE excluded.place END`, nil},
}

// settle is called by one goroutine at a time. Once the file is unlocked, it switches to the file and
// copies what was kept meanwhile.
func (s *Store) settle(ctx context.Context) error {
	db, path, trouble, err := s.opener(s.Path()).openAny(ctx)
	if err != nil {
		return err
	}
	s.dbMu.Lock()
	defer s.dbMu.Unlock()
	if err := takeOver(ctx, db.drafts, filepath.Join(s.temporary.Path(), FileName)); err != nil {
		_ = db.Close()
		return err
	}
	_ = s.db.Close()
	s.removeTemporary()
	s.db = db
	s.path.Store(&path)
	s.forget()
	if trouble != "" {
		trouble = " " + trouble
	}
	s.addTrouble(fmt.Sprintf("The history %s can be used again, and has the history and settings of this session; %s. Open the repository again to see what was there before.%s", path, s.isMissing(), trouble))
	if s.replaced != nil {
		s.replaced()
	}
	return nil
}

// takeOver copies the rows with keys from another file. db must not wait long for a lock, since nobody
// can use the store meanwhile.
func takeOver(ctx context.Context, db *sql.DB, from string) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := conn.ExecContext(ctx, "ATTACH ? AS temporary", from); err != nil {
		return fmt.Errorf("open the temporary history: %w", err)
	}
	defer func() { _, _ = conn.ExecContext(context.WithoutCancel(ctx), "DETACH temporary") }()
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer func() { _ = tx.Rollback() }() // does nothing after a commit
	for _, table := range taking {
		if _, err := tx.ExecContext(ctx, table.rows, table.args...); err != nil {
			return fmt.Errorf("take over what was kept meanwhile: %w", err)
		}
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

// removeTemporary needs the file closed.
func (s *Store) removeTemporary() {
	if s.temporary != nil {
		_ = s.temporary.Remove()
		s.temporary = nil
	}
}

// takesDrafts returns why drafts cannot be in the database now.
func (s *Store) takesDrafts() error {
	if s.noDrafts || s.isLocked() {
		return fmt.Errorf("unsaved texts are not kept in %s: %w", s.Path(), ErrLocked)
	}
	return nil
}

// isLocked reports whether another program still has the file locked.
func (s *Store) isLocked() bool {
	s.dbMu.RLock()
	defer s.dbMu.RUnlock()
	return s.temporary != nil
}
