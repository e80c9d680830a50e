package overlay_test

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"

	"conch/app/overlay"
)

var errLocked = errors.New("another program has the file locked")

// before returns the shelf that an earlier run left.
func before() *shelf {
	d := overlay.Draft{Key: config, Text: "an hour of typing", Base: onDisk, Version: 7}
	return &shelf{rows: map[overlay.Key]overlay.Draft{config: d}, broken: errLocked}
}

func emptyLot() *files { return &files{lists: map[string][]overlay.RecoveryDraft{}} }

// both lists the texts of the config: the draft and its rival.
func (r *run) both() (texts []string) {
	if d, ok := r.o.Get(config); ok {
		texts = append(texts, d.Text)
	}
	if d, ok := r.o.Rival(config); ok {
		texts = append(texts, d.Text)
	}
	return texts
}

// inTurn runs a test with a fake clock and a shelf that is locked at the start; a key is typed
// meanwhile.
func inTurn(t *testing.T, test func(t *testing.T, r *run)) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, before(), emptyLot())
		if _, err := r.k.Bring(t.Context(), config.Root); !errors.Is(err, errLocked) {
			t.Errorf("brought from a shelf that is locked: %v", err)
		}
		put(t, r.o, overlay.Edit{Key: config, Text: "xy", Base: onDisk})
		pass()
		if r.s.rows[config].Version != 7 || !slices.Equal(r.l.texts(), []string{"xy"}) {
			t.Errorf("while the shelf is locked it has %q, in files are %q", r.s.text(), r.l.texts())
		}
		test(t, r)
		_ = r.k.Close()
	})
}

// TestTypedBeforeTheShelfIsRead: a text is typed while the shelf cannot be read, and the shelf has
// another one. Both are kept until one of them is chosen, also over kill -9.
func TestTypedBeforeTheShelfIsRead(t *testing.T) {
	mine, theirs := "xy", "an hour of typing"
	inTurn(t, func(t *testing.T, r *run) {
		r.s.become(nil)
		pass()
		if !slices.Equal(r.both(), []string{mine, theirs}) || !slices.Equal(r.late, []string{config.Root}) {
			t.Fatalf("there are %q, told of %q", r.both(), r.late)
		}
		d, _ := r.o.Get(config)
		put(t, r.o, overlay.Edit{Key: config, Text: "xyz", Base: onDisk, Since: d.Version})
		pass()
		killed := start(t, r.s, r.l) // as after a kill: r wrote nothing at its end
		if _, err := killed.k.Bring(t.Context(), config.Root); err != nil || !slices.Equal(killed.both(), []string{"xyz", theirs}) {
			t.Errorf("after a kill there are %q, %v", killed.both(), err)
		}
		rival, _ := killed.o.Rival(config)
		if killed.o.DropRival(config, rival.Version+1) || !killed.o.DropRival(config, rival.Version) {
			t.Error("the rival is not the one that is dropped")
		}
		pass()
		if r.s.text() != "xyz" || len(r.l.texts()) > 0 || len(killed.both()) != 1 {
			t.Errorf("mine was chosen: on the shelf is %q, in files are %q", r.s.text(), r.l.texts())
		}
		_ = killed.k.Close()
	})
	inTurn(t, func(t *testing.T, r *run) {
		r.s.become(nil)
		pass()
		d, _ := r.o.Get(config)
		put(t, r.o, overlay.Edit{Key: config, Text: theirs, Base: onDisk, Since: d.Version})
		pass()
		if r.s.text() != theirs || len(r.l.texts()) > 0 || !slices.Equal(r.both(), []string{theirs}) {
			t.Errorf("theirs was chosen: on the shelf is %q, in files are %q", r.s.text(), r.l.texts())
		}
	})
	inTurn(t, func(t *testing.T, r *run) {
		r.s.become(nil)
		pass()
		r.o.Drop(config)
		pass()
		if r.s.text() != theirs || len(r.l.texts()) > 0 || !slices.Equal(r.both(), []string{theirs}) {
			t.Errorf("mine was discarded: on the shelf is %q, in files are %q, there are %q", r.s.text(), r.l.texts(), r.both())
		}
	})
}

// TestKilledWhileTheShelfIsLocked: the next start has the drafts in recovery files, in each state of
// the shelf.
func TestKilledWhileTheShelfIsLocked(t *testing.T) {
	inTurn(t, func(t *testing.T, r *run) {
		next := start(t, r.s, r.l)
		if !slices.Equal(next.both(), []string{"xy"}) {
			t.Errorf("there are %q", next.both())
		}
		if err := next.k.Away(t.Context(), config.Root); err != nil || len(next.both()) > 0 || !slices.Equal(r.l.texts(), []string{"xy"}) {
			t.Errorf("closed: %v, %q in memory, %q in files", err, next.both(), r.l.texts())
		}
		pass()
		if !slices.Equal(r.l.texts(), []string{"xy"}) {
			t.Errorf("after a while %q are in files", r.l.texts())
		}
		_ = next.k.Close()
	})
}

// TestGoesOnFromTheShelf: a draft that continues a known text replaces it without a question, also at
// the next start.
func TestGoesOnFromTheShelf(t *testing.T) {
	kept(t, func(r *run) {
		first := put(t, r.o, overlay.Edit{Key: config, Text: "a", Base: onDisk})
		pass()
		r.s.become(errLocked)
		put(t, r.o, overlay.Edit{Key: config, Text: "ab", Base: onDisk, Since: first.Version})
		pass()
		if r.s.text() != "a" || !slices.Equal(r.l.texts(), []string{"ab"}) {
			t.Fatalf("on the shelf is %q, in files are %q", r.s.text(), r.l.texts())
		}
		r.s.become(nil)
		next := start(t, r.s, r.l)
		if _, err := next.k.Bring(t.Context(), config.Root); err != nil || !slices.Equal(next.both(), []string{"ab"}) {
			t.Errorf("at the next start there are %q, %v", next.both(), err)
		}
		pass()
		if r.s.text() != "ab" || len(r.l.texts()) > 0 {
			t.Errorf("on the shelf is %q, in files are %q", r.s.text(), r.l.texts())
		}
		_ = next.k.Close()
	})
}

// TestRemovedBeforeTheShelfIsRead: a draft that was made and removed before the shelf was read leaves
// the shelf's text as it is.
func TestRemovedBeforeTheShelfIsRead(t *testing.T) {
	inTurn(t, func(t *testing.T, r *run) {
		r.o.Drop(config)
		pass()
		r.s.become(nil)
		pass()
		if !slices.Equal(r.both(), []string{"an hour of typing"}) || r.s.text() != "an hour of typing" || len(r.l.texts()) > 0 {
			t.Errorf("there are %q, on the shelf is %q, in files are %q", r.both(), r.s.text(), r.l.texts())
		}
	})
}

// TestRivalMoves: when a model is renamed, both texts move with it.
func TestRivalMoves(t *testing.T) {
	inTurn(t, func(t *testing.T, r *run) {
		r.s.become(nil)
		pass()
		to := overlay.Key{Root: config.Root, Path: "numbers/config.pbtxt"}
		r.o.Move(overlay.Key{Root: config.Root, Path: "digits"}, overlay.Key{Root: config.Root, Path: "numbers"})
		pass()
		if d, _ := r.o.Get(to); d.Text != "xy" || len(r.both()) > 0 {
			t.Errorf("moved is %q, left are %q", d.Text, r.both())
		}
		if d, _ := r.o.Rival(to); d.Text != "an hour of typing" || r.s.rows[to].Text != d.Text || r.s.text() != "" {
			t.Errorf("the rival is %q, on the shelf is %v", d.Text, r.s.rows)
		}
	})
}

// TestSameTextOfAWindow: a window that outlived the run before sends its text again, before the shelf is
// read or after that. It is still the text of the earlier run.
func TestSameTextOfAWindow(t *testing.T) {
	for _, first := range []string{"the window", "the shelf"} {
		synctest.Test(t, func(t *testing.T) {
			s := before()
			s.become(nil)
			r := start(t, s, emptyLot())
			send := func() {
				put(t, r.o, overlay.Edit{Key: config, Text: "an hour of typing", Base: onDisk, Since: 7, By: overlay.Turn{Writer: "tab", Number: 3}})
			}
			if first == "the window" {
				send()
			}
			if _, err := r.k.Bring(t.Context(), config.Root); err != nil {
				t.Fatal(err)
			}
			if first == "the shelf" {
				send()
			}
			if d, _ := r.o.Get(config); !d.Restored || len(r.both()) != 1 {
				t.Errorf("%s was first: restored is %v, there are %q", first, d.Restored, r.both())
			}
			_ = r.k.Close()
		})
	}
}
