package overlay_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"conch/app/overlay"
)

// shelf is one in memory that can be out of order.
type shelf struct {
	mu     sync.Mutex
	texts  map[overlay.Key]string
	broken error
	writes int
}

func (s *shelf) Keep(_ context.Context, drafts []overlay.Draft, removed []overlay.Removal) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes++
	if s.broken != nil {
		return s.broken
	}
	for _, d := range drafts {
		s.texts[d.Key] = d.Text
	}
	for _, r := range removed {
		delete(s.texts, r.Key)
	}
	return nil
}

func (s *shelf) become(broken error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = broken
}

func (s *shelf) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.texts[config]
}

func (s *shelf) Load(_ context.Context, root string) ([]overlay.Draft, error) {
	var list []overlay.Draft
	for key, text := range s.texts {
		if key.Root == root {
			list = append(list, overlay.Draft{Key: key, Text: text, Version: 1})
		}
	}
	return list, nil
}

// kept runs a test with a keeper on a fake clock.
func kept(t *testing.T, test func(o *overlay.Overlay, s *shelf, k *overlay.Keeper, reports *[]error)) {
	synctest.Test(t, func(t *testing.T) {
		o, s := newOverlay(), &shelf{texts: map[overlay.Key]string{}}
		var reports []error
		k := overlay.Keep(o, s, func(err error) { reports = append(reports, err) })
		test(o, s, k, &reports)
		if err := k.Close(); err != nil && s.broken == nil {
			t.Error(err)
		}
	})
}

// TestKeptWithinASecond: a second after the last key the text is on the shelf, and typing on does not put that off.
func TestKeptWithinASecond(t *testing.T) {
	kept(t, func(o *overlay.Overlay, s *shelf, _ *overlay.Keeper, _ *[]error) {
		var d overlay.Draft
		for i := range 30 {
			d = put(t, o, overlay.Edit{Key: config, Text: string(rune('a' + i)), Since: d.Version})
			time.Sleep(100 * time.Millisecond)
			if i >= 10 && s.text() == "" {
				t.Fatal("nothing is kept while typing goes on")
			}
		}
		last := d.Text
		time.Sleep(time.Second)
		synctest.Wait()
		if s.text() != last {
			t.Errorf("kept is %q, typed was %q", s.text(), last)
		}
		if s.writes > 10 {
			t.Errorf("%d writes in 3 s of typing", s.writes)
		}
		o.Drop(config)
		time.Sleep(time.Second)
		synctest.Wait()
		if len(s.texts) != 0 {
			t.Errorf("a draft that is gone is still kept: %v", s.texts)
		}
	})
}

func TestKeptAtTheEnd(t *testing.T) {
	kept(t, func(o *overlay.Overlay, s *shelf, k *overlay.Keeper, _ *[]error) {
		put(t, o, overlay.Edit{Key: config, Text: "the last word"})
		if err := k.Close(); err != nil || s.text() != "the last word" {
			t.Errorf("%v, %v", s.texts, err)
		}
	})
}

// TestKeptLater: a shelf that cannot be written is reported, and gets everything once it can.
func TestKeptLater(t *testing.T) {
	kept(t, func(o *overlay.Overlay, s *shelf, _ *overlay.Keeper, reports *[]error) {
		s.become(errors.New("no space left on device"))
		put(t, o, overlay.Edit{Key: config, Text: "a"})
		time.Sleep(time.Second)
		synctest.Wait()
		if len(*reports) != 1 || (*reports)[0] == nil {
			t.Fatalf("reported %v", *reports)
		}
		o.Forget(config.Root)
		if _, ok := o.Get(config); !ok {
			t.Error("what is not kept yet was forgotten")
		}
		s.become(nil)
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if s.text() != "a" || (*reports)[len(*reports)-1] != nil {
			t.Errorf("%v, reported %v", s.texts, *reports)
		}
		o.Forget(config.Root)
		if _, ok := o.Get(config); ok {
			t.Error("what is kept was not forgotten")
		}
	})
}
