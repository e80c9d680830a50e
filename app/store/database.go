package store

import (
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// usualWait is how long a read or a transaction waits for the lock of another program.
const usualWait = 2 * time.Second

// draftWait is how long unsaved texts wait for the lock of another program. It is short, since they go
// to a recovery file then, and must be on the disk within a second of the last key.
const draftWait = 100 * time.Millisecond

// journalBytes is the size to which the write-ahead log is cut. SQLite copies it into the file whenever
// it has 4 MB.
const journalBytes = 8 << 20

// database is an open file. Reads, writes and unsaved texts have connections of their own, so that
// none of them waits until another one gets a lock.
type database struct{ read, write, drafts *sql.DB }

// openDatabase opens a file that is prepared. Each connection costs page cache.
func openDatabase(path string) (db *database, err error) {
	db = &database{}
	if db.read, err = connect(path, usualWait, 2); err != nil {
		return nil, err
	}
	if db.write, err = connect(path, usualWait, 1); err != nil {
		return nil, errors.Join(err, db.read.Close())
	}
	if db.drafts, err = connect(path, draftWait, 1); err != nil {
		return nil, errors.Join(err, db.read.Close(), db.write.Close())
	}
	return db, nil
}

// Close closes all connections.
func (db *database) Close() error {
	return errors.Join(db.read.Close(), db.write.Close(), db.drafts.Close())
}

// connect opens a file. wait is how long its connections wait for the lock of another program.
func connect(path string, wait time.Duration, connections int) (*sql.DB, error) {
	db, err := sql.Open("sqlite", dsn(path, wait))
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	db.SetMaxOpenConns(connections)
	return db, nil
}

// dsn: with WAL, readers and another process work beside the writer. With NORMAL, WAL survives a
// killed process and keeps the file whole over a power cut. IMMEDIATE takes the write lock at once,
// where waiting works. The write-ahead log is cut to journalBytes when it begins again.
func dsn(path string, wait time.Duration) string {
	q := url.Values{"_txlock": {"immediate"}, "_pragma": {
		fmt.Sprintf("busy_timeout(%d)", wait.Milliseconds()), "journal_mode(WAL)", "synchronous(NORMAL)", "foreign_keys(1)", "cache_size(-1024)", fmt.Sprintf("journal_size_limit(%d)", journalBytes),
	}}
	return (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: q.Encode()}).String()
}

// isLocked reports whether another program has the file locked.
func isLocked(err error) bool {
	var se *sqlite.Error
	return errors.Is(err, ErrLocked) || errors.As(err, &se) && se.Code()&0xff == sqlite3.SQLITE_BUSY
}
