package store

import (
	"database/sql"
	"testing"
)

// A request that ends while its model is renamed has the new name.
func TestRequestEndsWhileRenamed(t *testing.T) {
	s, err := Open(t.Context(), Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	r := Request{Repository: "/r", Model: "m"}
	r.ID = s.BeginRequest(r)
	err = s.rename(t.Context(), place{"/r", "m"}, place{"/r", "n"}, func(*sql.Tx) error {
		s.EndRequest(r)
		return nil
	})
	if list, _ := s.Requests(t.Context(), "/r", "n", 10); err != nil || len(list) != 1 {
		t.Errorf("the new name has %v, %v", list, err)
	}
}
