package store

import (
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/pressly/goose/v3"
)

// Rows of before the column tell by their words what was stopped; later ones do not.
func TestOldRowsTellWhatWasStopped(t *testing.T) {
	dir := t.TempDir()
	writeVersion5(t, filepath.Join(dir, FileName))
	s, err := Open(t.Context(), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	s.AddRequest(Request{Repository: "/r", Error: "Stopped after all"})
	s.AddRequest(Request{Repository: "/r", Error: "Stopped after 2 s", Stopped: true})
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	list, err := s.Requests(t.Context(), "/r", "", 10)
	if err != nil || len(list) != 5 {
		t.Fatalf("%v, %v", list, err)
	}
	for i, want := range []bool{true, false, true, false, false} {
		if got := list[i]; got.Stopped != want {
			t.Errorf("%d is %+v", i, got)
		}
	}
}

// writeVersion5 writes a history as it was before the column.
func writeVersion5(t *testing.T, path string) {
	db, err := connect(path, usualWait, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		t.Fatal(err)
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, db, files, goose.WithLogger(goose.NopLogger()))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.UpTo(t.Context(), 5); err != nil {
		t.Fatal(err)
	}
	_, err = db.ExecContext(t.Context(), `INSERT INTO request (id, repository, time_ms, model, version, ok, error, took_ns, summary) VALUES
		(1, '/r', 0, 'm', '', 1, '', 0, ''), (2, '/r', 0, 'm', '', 0, 'stopped after it', 0, ''), (3, '/r', 0, 'm', '', 0, 'Stopped after 4.2 s', 0, '')`)
	if err != nil {
		t.Fatal(err)
	}
}
