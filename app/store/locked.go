package store

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"time"

	"conch/app/userfile"
)

// startWait is how long a start waits for a file that is locked, as another Conch locks it for a moment.
const startWait = 300 * time.Millisecond

// TemporaryFolder begins the names of folders for a history that cannot be in its place.
const TemporaryFolder = "conch-history"

// openTemporary opens a file for the time being, since another program has the one of path locked.
func (s *Store) openTemporary(ctx context.Context) (err error) {
	if s.temporary, err = userfile.MakeScratch("", TemporaryFolder); err != nil {
		return fmt.Errorf("make a folder for history: %w", err)
	}
	s.db, err = s.opener(filepath.Join(s.temporary.Path(), FileName), 0).open(ctx)
	return err
}

// keyed are the tables whose rows have keys of their own. What is in the others waits in the queue while the file is locked,
// and drafts are in recovery files: they may be others than those in the file, and none replaces another unasked.
var keyed = []string{"setting", "recent", "visit"}

// settle is called by one goroutine at a time. It goes over to the file itself once that is
// unlocked, with what was kept meanwhile.
func (s *Store) settle(ctx context.Context) error {
	db, path, trouble, err := s.opener(s.Path(), startWait).openAny(ctx)
	if err != nil {
		return err
	}
	s.dbMu.Lock()
	defer s.dbMu.Unlock()
	if err := takeOver(ctx, db, filepath.Join(s.temporary.Path(), FileName)); err != nil {
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
	s.addTrouble(fmt.Sprintf("The history %s can be used again; the history and settings of this session are in it. Open the repository again to see what was there before.%s", path, trouble))
	if s.replaced != nil {
		s.replaced()
	}
	return nil
}

// takeOver copies what has keys from another file; what is there already under a key is older.
func takeOver(ctx context.Context, db *sql.DB, from string) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := conn.ExecContext(ctx, "ATTACH ? AS temporary", from); err != nil {
		return fmt.Errorf("open what was kept meanwhile: %w", err)
	}
	defer func() { _, _ = conn.ExecContext(context.WithoutCancel(ctx), "DETACH temporary") }()
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer func() { _ = tx.Rollback() }() // after a commit this does nothing
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

// removeTemporary is after the file has been closed.
func (s *Store) removeTemporary() {
	if s.temporary != nil {
		_ = s.temporary.Remove()
		s.temporary = nil
	}
}

// takesDrafts says why drafts cannot be in the database now.
func (s *Store) takesDrafts() error {
	if s.noDrafts || s.isLocked() {
		return fmt.Errorf("unsaved texts are not kept in %s: %w", s.Path(), ErrLocked)
	}
	return nil
}

// isLocked says whether another program still has the file locked.
func (s *Store) isLocked() bool {
	s.dbMu.RLock()
	defer s.dbMu.RUnlock()
	return s.temporary != nil
}
