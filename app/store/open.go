package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pressly/goose/v3"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"conch/app/userfile"
)

//go:embed migrations/*.sql
var migrations embed.FS

// schema is the number of the newest migration.
var schema = newestMigration()

func newestMigration() (newest int64) {
	files, _ := fs.Glob(migrations, "migrations/*.sql")
	for _, file := range files {
		if number, err := goose.NumericComponent(file); err == nil {
			newest = max(newest, number)
		}
	}
	return newest
}

// checkWholeBelow is the size up to which a file is checked page by page when it is opened (about 0.1
// s). Damage in a larger file is found by a later read or write, and replace handles it.
const checkWholeBelow = 32 << 20

var (
	errDamaged = errors.New("the file is damaged")
	errNewer   = errors.New("the file is from a newer version of Conch")
)

// openWait is how long an opening waits for a locked file. Another Conch locks it for a moment only.
const openWait = 300 * time.Millisecond

// lockSuffix makes the name of the lock from that of the database.
const lockSuffix = ".lock"

// opener opens one file.
type opener struct {
	path       string
	now        func() time.Time
	checkBelow int64 // files up to this size are checked completely
}

// ErrLocked means that another program has the file locked.
var ErrLocked = userfile.ErrLocked

// openAny opens the database. A damaged one is moved aside first. One from a newer version of Conch,
// which may be running, stays where it is; then another file is used, the same for each program of
// this version. trouble reports either.
func (o opener) openAny(ctx context.Context) (db *database, path, trouble string, err error) {
	db, trouble, err = o.openOrReplace(ctx)
	if !errors.Is(err, errNewer) {
		return db, o.path, trouble, err
	}
	newer := o.path
	o.path = fmt.Sprintf("%s-v%d.db", strings.TrimSuffix(newer, ".db"), schema)
	db, trouble, err = o.openOrReplace(ctx)
	told := fmt.Sprintf("The history %s was written by a newer version of Conch and stays as it is. This version keeps its own in %s. Settings and records are not shared between the two.",
		newer, filepath.Base(o.path))
	return db, o.path, strings.TrimSpace(told + " " + trouble), err
}

// openOrReplace opens the database. A damaged one is moved aside first, and trouble reports that.
func (o opener) openOrReplace(ctx context.Context) (db *database, trouble string, err error) {
	path := o.path
	if err := makePrivate(path); err != nil {
		return nil, "", err
	}
	// One process at a time opens, migrates or moves the database.
	lock, err := userfile.Lock(path+lockSuffix, openWait)
	if errors.Is(err, ErrLocked) {
		return nil, "", &Error{Do: "open the history", Path: path, Why: "another Conch is opening or repairing it; this one tries again", Err: err}
	}
	if err != nil {
		return nil, "", fmt.Errorf("lock the history: %w", err)
	}
	defer func() { _ = lock.Close() }()
	db, err = o.open(ctx)
	if err == nil || !isUnusable(err) {
		return db, "", err
	}
	trouble, err = moveAside(path, o.now())
	if err != nil {
		return nil, "", err
	}
	db, err = o.open(ctx)
	return db, trouble, err
}

func (o opener) open(ctx context.Context) (*database, error) {
	db, err := connect(o.path, openWait, 1)
	if err != nil {
		return nil, err
	}
	if err = o.prepare(ctx, db); err == nil {
		err = o.tryWriting(ctx, db)
	}
	_ = db.Close()
	if err != nil {
		return nil, explain("keep history and settings", o.path, err)
	}
	return openDatabase(o.path)
}

// tryWriting checks that no other program blocks writes.
func (o opener) tryWriting(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	return tx.Rollback()
}

func (o opener) prepare(ctx context.Context, db *sql.DB) error {
	if err := o.checkWhole(ctx, db); err != nil {
		return err
	}
	dir, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, db, dir, goose.WithLogger(goose.NopLogger()))
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	has, err := provider.GetDBVersion(ctx)
	if err != nil {
		return fmt.Errorf("read schema version: %w", err)
	}
	if has > schema {
		return errNewer
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("bring the schema up to date: %w", err)
	}
	return nil
}

func (o opener) checkWhole(ctx context.Context, db *sql.DB) error {
	info, err := os.Stat(o.path)
	if err != nil || info.Size() == 0 || info.Size() > o.checkBelow {
		return nil // a new file, or too large to check now
	}
	var verdict string
	if err := db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&verdict); err != nil {
		return fmt.Errorf("check the file: %w", err)
	}
	if verdict != "ok" {
		return fmt.Errorf("%w: %s", errDamaged, verdict)
	}
	return nil
}

// isUnusable reports damage, where a new file helps. A busy file or a full disk is not damage.
func isUnusable(err error) bool {
	return errors.Is(err, errDamaged) || isCorrupt(err)
}

func isCorrupt(err error) bool {
	var se *sqlite.Error
	if !errors.As(err, &se) {
		return false
	}
	code := se.Code() & 0xff // without the extended part
	return code == sqlite3.SQLITE_CORRUPT || code == sqlite3.SQLITE_NOTADB
}

// moveAside renames the database and its journals, and returns a sentence that says where they are
// now.
func moveAside(path string, at time.Time) (string, error) {
	aside := userfile.DamagedName(path, at)
	for _, suffix := range []string{"-wal", "-shm", ""} {
		err := os.Rename(path+suffix, aside+suffix)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("move the damaged history aside: %w", err)
		}
	}
	return fmt.Sprintf("The history %s was damaged. It was moved to %s and a new one was begun.", path, filepath.Base(aside)), nil
}

// replace begins a new file after damage was found during the run, unless another process has done so
// already. When it fails, the next read or write finds the damage again.
func (s *Store) replace(ctx context.Context) error {
	s.dbMu.Lock()
	defer s.dbMu.Unlock()
	_ = s.db.Close()
	db, trouble, err := opener{path: s.Path(), now: s.now, checkBelow: math.MaxInt64}.openOrReplace(ctx)
	if err != nil {
		again, openErr := openDatabase(s.Path())
		if openErr == nil {
			s.db = again
		}
		return errors.Join(err, openErr)
	}
	s.db = db
	s.forget()
	s.addTrouble(trouble)
	if s.replaced != nil {
		s.replaced()
	}
	return nil
}
