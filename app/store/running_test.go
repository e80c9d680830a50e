package store_test

import (
	"context"
	"testing"

	"conch/app/store"
)

// errorsOf lists what the requests of a place end with, the newest first.
func errorsOf(t *testing.T, s *store.Store, repository, model string) (all []string) {
	t.Helper()
	list, err := s.Requests(t.Context(), repository, model, 10)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range list {
		all = append(all, r.Error)
	}
	return all
}

func is(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %q, want %q", what, got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
}

// What a kill leaves of a request that runs is in the history of the next start. Requests are listed by when they began.
func TestRunningRequest(t *testing.T) {
	for name, written := range map[string]bool{"written meanwhile": true, "in the queue": false} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := open(t, store.Options{Dir: dir})
			long := store.Request{Repository: "/r", Model: "m", Error: "lost", RequestBody: []byte("in")}
			long.ID = s.BeginRequest(long)
			s.AddRequest(store.Request{Repository: "/r", Model: "m", Error: "short"})
			is(t, "while it runs", errorsOf(t, s, "/r", "m"), "short")
			if written {
				flush(t, s)
				is(t, "in the next start", errorsOf(t, open(t, store.Options{Dir: dir}), "/r", "m"), "short", "lost")
				is(t, "while it runs on", errorsOf(t, s, "/r", "m"), "short")
			}
			long.Error = "ended"
			s.EndRequest(long)
			is(t, "before it is written", errorsOf(t, s, "/r", "m"), "short", "ended")
			flush(t, s)
			is(t, "at the end", errorsOf(t, s, "/r", "m"), "short", "ended")
			if n := count(t, s, `SELECT count(*) FROM request`); n != 2 {
				t.Errorf("%d requests are written, want 2", n)
			}
		})
	}
}

// A request that ends after its server or its model got another name is listed there.
func TestRunningRequestMoves(t *testing.T) {
	s := open(t, store.Options{})
	r := store.Request{Repository: "server\na", Model: "m", Error: "answered"}
	r.ID = s.BeginRequest(r)
	other := s.BeginRequest(store.Request{Repository: "server\nother", Model: "m"})
	if err := s.RenameRepository(t.Context(), "server\na", "server\nb"); err != nil {
		t.Fatal(err)
	}
	if err := s.RenameModel(t.Context(), "server\nb", "m", "n"); err != nil {
		t.Fatal(err)
	}
	s.EndRequest(r)
	s.EndRequest(store.Request{ID: other, Repository: "server\nother", Model: "m", Error: "other"})
	is(t, "under the new names", errorsOf(t, s, "server\nb", "n"), "answered")
	is(t, "of another server", errorsOf(t, s, "server\nother", "m"), "other")
	flush(t, s)
	is(t, "under the old name", errorsOf(t, s, "server\na", ""))
}

// A request that runs stays with its model where the rename fails.
func TestRunningRequestStays(t *testing.T) {
	s := open(t, store.Options{})
	r := store.Request{Repository: "/r", Model: "m", Error: "lost"}
	r.ID = s.BeginRequest(r)
	flush(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.RenameModel(ctx, "/r", "m", "n"); err == nil {
		t.Error("a rename that was stopped succeeded")
	}
	r.Error = "answered"
	s.EndRequest(r)
	is(t, "under its name", errorsOf(t, s, "/r", "m"), "answered")
}
