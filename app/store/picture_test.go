package store_test

import (
	"bytes"
	"testing"
	"time"

	"conch/app/store"
)

// A picture that was sent several times is kept once; those that were sent longest ago go first, and those of requests that are gone.
func TestPictures(t *testing.T) {
	defer store.SetKeepPictureBytes(2500)()
	c := newClock()
	s := open(t, store.Options{Now: c.now})
	var pictures []store.Picture
	for i := range 3 {
		pictures = append(pictures, store.NewPicture(bytes.Repeat([]byte{byte(i)}, 1000)))
	}
	has := func(when string, want ...bool) {
		t.Helper()
		for i, p := range pictures {
			got, err := s.Picture(t.Context(), p.Hash)
			if err != nil || (want[i] && !bytes.Equal(got, p.Content)) || (!want[i] && got != nil) {
				t.Errorf("%s: picture %d has %d bytes, %v", when, i+1, len(got), err)
			}
		}
	}
	for _, sent := range [][]store.Picture{pictures[:2], pictures[2:], pictures[:1]} {
		c.advance(time.Second)
		s.AddRequest(store.Request{Repository: "/r", Time: c.now(), Model: "m", Pictures: sent})
	}
	has("before they are written", true, true, true)
	flush(t, s)
	if n := count(t, s, `SELECT count(*) FROM picture`); n != 3 {
		t.Errorf("%d pictures are written, want 3", n)
	}
	c.advance(2 * time.Minute)
	s.AddSample(store.Sample{Repository: "/r", Time: c.now(), Covered: time.Second})
	flush(t, s)
	has("after old ones were removed", true, false, true)
}
