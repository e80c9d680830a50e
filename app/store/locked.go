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

// keyed are the tables whose rows have keys of their own. Rows of other tables wait in the queue while
// the file is locked. Drafts are in recovery files: they may differ from those in the file, and none
// replaces another without a question.
var keyed = []string{"setting", "recent", "visit"}

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
// can use the store meanwhile. They replace rows with the same key, which are
// older.
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
	for _, table := range keyed {
		if _, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO main."+table+" SELECT * FROM temporary."+table); err != nil {
			return fmt.Errorf("take over %s: %w", table, err)
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
