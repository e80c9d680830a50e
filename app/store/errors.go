package store

import (
	"errors"
	"fmt"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Error says what failed on the database, why, and what to do.
type Error struct {
	// Do is the failed operation, such as "write history".
	Do   string
	Path string
	// Why is the reason, and what to do about it.
	Why string
	Err error
}

func (e *Error) Error() string { return fmt.Sprintf("cannot %s in %s: %s", e.Do, e.Path, e.Why) }

// Unwrap returns the error of SQLite or of the system.
func (e *Error) Unwrap() error { return e.Err }

// explain makes an Error of an SQLite error that a person can do something about. It wraps other
// errors.
func (s *Store) explain(do string, err error) error { return explain(do, s.Path(), err) }

func explain(do, path string, err error) error {
	var se *sqlite.Error
	if errors.As(err, &se) {
		if why, known := reasons[se.Code()&0xff]; known { // without the extended part
			return &Error{Do: do, Path: path, Why: why, Err: err}
		}
	}
	return fmt.Errorf("%s: %w", do, err)
}

// Is makes an error of a locked file an ErrLocked.
func (e *Error) Is(target error) bool { return target == ErrLocked && isLocked(e.Err) }

// reasons are ends of sentences for SQLite's result codes (sqlite.org/rescode.html).
var reasons = map[int]string{
	sqlite3.SQLITE_CORRUPT:  damagedWords,
	sqlite3.SQLITE_NOTADB:   damagedWords,
	sqlite3.SQLITE_FULL:     "the disk is full; free some space",
	sqlite3.SQLITE_READONLY: "you have no permission to write the file; change its permissions",
	sqlite3.SQLITE_CANTOPEN: "the file cannot be opened; make sure that it is a file, and that you may write in its folder",
	sqlite3.SQLITE_BUSY:     "another program has the history locked; close that program",
	sqlite3.SQLITE_IOERR:    "the disk reports an input/output error or is full; free some space, and have a look at the disk",
}

const damagedWords = "the file is damaged; Conch moves it aside and begins a new one"

// sentence makes a sentence of an error.
func sentence(err error) string {
	text := err.Error()
	return strings.ToUpper(text[:1]) + text[1:] + "."
}
