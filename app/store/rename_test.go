package store_test

import (
	"testing"
	"time"

	"conch/app/store"
)

// TestRenameModel: the history of a model moves with its name, there and back, and twice.
func TestRenameModel(t *testing.T) {
	c := newClock()
	s := open(t, store.Options{Now: c.now})
	feed(t, s, c, 700)
	s.AddRequest(store.Request{Repository: "/r", Model: "m", OK: true})
	before := total(query(t, s, c, window{"m", time.Hour, 100}))
	for _, step := range [][2]string{{"m", "n"}, {"m", "n"}, {"n", "m"}, {"m", "n"}} {
		if err := s.RenameModel(t.Context(), "/r", step[0], step[1]); err != nil {
			t.Fatal(err)
		}
	}
	feed(t, s, c, 10) // somebody makes a new model with the old name
	if got := total(query(t, s, c, window{"n", time.Hour, 100})); got != before {
		t.Errorf("the new name has %d requests of %d", got, before)
	}
	if got := total(query(t, s, c, window{"m", time.Hour, 100})); got != 30 {
		t.Errorf("the old name has %d requests, want the 30 that came after", got)
	}
	list, err := s.Requests(t.Context(), "/r", "n", 10)
	if err != nil || len(list) != 1 {
		t.Errorf("requests: %v, %v", list, err)
	}
	if err := s.RenameModel(t.Context(), "/r", "m", "n"); err != nil {
		t.Fatal(err)
	}
	if got := total(query(t, s, c, window{"n", time.Hour, 100})); got != before+30 {
		t.Errorf("both together: %d, want %d", got, before+30)
	}
	if got := total(query(t, s, c, window{"", time.Hour, 100})); got != before+30 {
		t.Errorf("the repository: %d, want %d", got, before+30)
	}
}

// TestRenameRepository: the requests, the figures and the GPUs of a server move with its name.
func TestRenameRepository(t *testing.T) {
	c := newClock()
	s := open(t, store.Options{Now: c.now})
	feed(t, s, c, 700)
	s.AddRequest(store.Request{Repository: "/r", Model: "m", OK: true})
	s.AddEvent(store.Event{Repository: "/r", Model: "m", Time: c.now()})
	before := total(query(t, s, c, window{"m", time.Hour, 100}))
	for _, step := range [][2]string{{"/r", "/other"}, {"/r", "/other"}, {"/other", "/r"}} {
		if err := s.RenameRepository(t.Context(), step[0], step[1]); err != nil {
			t.Fatal(err)
		}
		list, err := s.Requests(t.Context(), step[1], "m", 10)
		if err != nil || len(list) != 1 {
			t.Errorf("after %v: requests %v, %v", step, list, err)
		}
	}
	if got := total(query(t, s, c, window{"m", time.Hour, 100})); got != before {
		t.Errorf("after all of it there are %d requests of %d", got, before)
	}
	if list, err := s.Requests(t.Context(), "/other", "m", 10); err != nil || len(list) != 0 {
		t.Errorf("the name that it had for a while still has %v, %v", list, err)
	}
}
