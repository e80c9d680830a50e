package overlay_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"conch/app/overlay"
)

var config = overlay.Key{Root: "/repository", Path: "digits/config.pbtxt"}

var onDisk = overlay.Base{Version: "v1", Text: "old"}

func newOverlay() *overlay.Overlay { return overlay.New(overlay.Usual, time.Now) }

func put(t *testing.T, o *overlay.Overlay, e overlay.Edit) overlay.Draft {
	t.Helper()
	d, err := o.Put(e)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestVersionsGrow(t *testing.T) {
	o := newOverlay()
	first := put(t, o, overlay.Edit{Key: config, Text: "a", Base: onDisk})
	second := put(t, o, overlay.Edit{Key: config, Text: "ab", Base: onDisk, Since: first.Version})
	if second.Version <= first.Version {
		t.Errorf("%d after %d", second.Version, first.Version)
	}
	if got, ok := o.Get(config); !ok || got.Text != "ab" || got.Base != onDisk {
		t.Errorf("%+v", got)
	}
	if gone := put(t, o, overlay.Edit{Key: config, Text: "old", Base: onDisk, Since: second.Version}); gone.Version != 0 {
		t.Errorf("the text on disk is kept as a draft: %+v", gone)
	}
	if _, ok := o.Get(config); ok {
		t.Error("a text that is as on disk is still a draft")
	}
	again := put(t, o, overlay.Edit{Key: config, Text: "a", Base: onDisk})
	if again.Version <= second.Version {
		t.Errorf("a version came twice: %d after %d", again.Version, second.Version)
	}
}

// TestTwoWriters: a writer who edits an older text is told of the newer one, and nothing is
// overwritten.
func TestTwoWriters(t *testing.T) {
	o := newOverlay()
	first := put(t, o, overlay.Edit{Key: config, Text: "a", Base: onDisk})
	mine := put(t, o, overlay.Edit{Key: config, Text: "mine", Base: onDisk, Since: first.Version})
	_, err := o.Put(overlay.Edit{Key: config, Text: "theirs", Base: onDisk, Since: first.Version})
	var newer *overlay.NewerError
	if !errors.As(err, &newer) || newer.Draft.Text != "mine" || newer.Draft.Version != mine.Version {
		t.Fatalf("%v", err)
	}
	_, err = o.Put(overlay.Edit{Key: config, Text: onDisk.Text, Base: onDisk, Since: first.Version})
	if !errors.As(err, &newer) {
		t.Errorf("an undo in a window that is behind removed the draft: %v", err)
	}
	if same := put(t, o, overlay.Edit{Key: config, Text: "mine", Base: onDisk}); same.Version != mine.Version {
		t.Errorf("the same text again is %d, want %d", same.Version, mine.Version)
	}
	if after := put(t, o, overlay.Edit{Key: config, Text: "theirs", Base: onDisk, Since: mine.Version}); after.Text != "theirs" {
		t.Errorf("%+v", after)
	}
}

// TestOneWriter: a page that is being closed sends its last text before the answer to the edit before
// has arrived. The last text stays, in either order of arrival.
func TestOneWriter(t *testing.T) {
	page := func(number uint64) overlay.Turn { return overlay.Turn{Writer: "page", Number: number} }
	first := overlay.Edit{Key: config, Text: "a", Base: onDisk, By: page(1)}
	second := overlay.Edit{Key: config, Text: "ab", Base: onDisk, By: page(2)}
	for _, order := range [][]overlay.Edit{{first, second}, {second, first}} {
		o := newOverlay()
		for _, e := range order {
			put(t, o, e)
		}
		if got, _ := o.Get(config); got.Text != "ab" {
			t.Errorf("%q stays", got.Text)
		}
		undone := overlay.Edit{Key: config, Text: onDisk.Text, Base: onDisk, By: page(4)}
		put(t, o, undone)
		if late := put(t, o, overlay.Edit{Key: config, Text: "abc", Base: onDisk, By: page(3)}); late.Version != 0 {
			t.Errorf("%q came after it was undone, and stays", late.Text)
		}
		_, err := o.Put(overlay.Edit{Key: config, Text: "theirs", Base: onDisk, By: overlay.Turn{Writer: "other", Number: 1}})
		if err != nil {
			t.Error(err)
		}
		var newer *overlay.NewerError
		if _, err := o.Put(overlay.Edit{Key: config, Text: "mine", Base: onDisk, By: page(5)}); !errors.As(err, &newer) {
			t.Errorf("another page's text is overwritten: %v", err)
		}
	}
}

// TestGone: an edit of a draft that was discarded or saved elsewhere does not bring it back. A new
// edit of the file is taken, also from the writer who ended the draft.
func TestGone(t *testing.T) {
	page := func(number uint64) overlay.Turn { return overlay.Turn{Writer: "page", Number: number} }
	other := overlay.Turn{Writer: "other", Number: 9}
	for name, end := range map[string]func(o *overlay.Overlay, d overlay.Draft){
		"discarded": func(o *overlay.Overlay, _ overlay.Draft) { o.Drop(config) },
		"discarded after its writer undid another": func(o *overlay.Overlay, d overlay.Draft) {
			put(t, o, overlay.Edit{Key: config, Text: onDisk.Text, Base: onDisk, Since: d.Version, By: page(2)})
			put(t, o, overlay.Edit{Key: config, Text: "typed", Base: onDisk, By: page(3)})
			o.Drop(config)
		},
		"saved": func(o *overlay.Overlay, d overlay.Draft) {
			o.Saved(config, overlay.Base{Version: "v2", Text: "typed"}, overlay.Part{Version: d.Version, By: other})
		},
		"undone": func(o *overlay.Overlay, d overlay.Draft) {
			put(t, o, overlay.Edit{Key: config, Text: onDisk.Text, Base: onDisk, Since: d.Version, By: other})
		},
	} {
		o := newOverlay()
		d := put(t, o, overlay.Edit{Key: config, Text: "typed", Base: onDisk, By: page(1)})
		end(o, d)
		var gone *overlay.GoneError
		for _, text := range []string{"typed", "typed more"} {
			_, err := o.Put(overlay.Edit{Key: config, Text: text, Base: onDisk, Since: d.Version, By: page(4)})
			if !errors.As(err, &gone) {
				t.Errorf("%s: %q is kept again: %v", name, text, err)
			}
		}
		if d, ok := o.Get(config); ok {
			t.Errorf("%s: %q is a draft again", name, d.Text)
		}
		put(t, o, overlay.Edit{Key: config, Text: "typed again", Base: onDisk, By: overlay.Turn{Writer: "page that knows it", Number: 5}})
	}
	o := newOverlay()
	d := put(t, o, overlay.Edit{Key: config, Text: "typed", Base: onDisk, By: page(1)})
	put(t, o, overlay.Edit{Key: config, Text: onDisk.Text, Base: onDisk, Since: d.Version, By: page(2)})
	put(t, o, overlay.Edit{Key: config, Text: "typed again", Base: onDisk, Since: d.Version, By: page(3)})
	o.Saved(config, overlay.Base{Version: "v2", Text: "typed again"}, overlay.Part{By: page(3)})
	put(t, o, overlay.Edit{Key: config, Text: "typed on", Base: onDisk, Since: d.Version, By: page(4)})
}

// TestRepositories: the same model and file of two repositories are two files. A root is the same by
// each path that reaches it.
func TestRepositories(t *testing.T) {
	dir := t.TempDir()
	root, link := filepath.Join(dir, "a"), filepath.Join(dir, "link")
	if err := errors.Join(os.Mkdir(root, 0o755), os.Symlink(root, link)); err != nil {
		t.Fatal(err)
	}
	o := newOverlay()
	put(t, o, overlay.Edit{Key: overlay.Key{Root: overlay.RealRoot(link), Path: config.Path}, Text: "a"})
	if list := o.In(overlay.RealRoot(root)); len(list) != 1 {
		t.Errorf("by its own path: %v", list)
	}
	if list := o.In(overlay.RealRoot(dir)); len(list) != 0 {
		t.Errorf("of another repository: %v", list)
	}
	if gone := filepath.Join(dir, "gone"); overlay.RealRoot(gone) != gone {
		t.Error("a root that is away has another name")
	}
}

func TestSaved(t *testing.T) {
	o := newOverlay()
	put(t, o, overlay.Edit{Key: config, Text: "saved", Base: onDisk})
	o.Saved(config, overlay.Base{Version: "v2", Text: "saved"}, overlay.Part{})
	if _, ok := o.Get(config); ok {
		t.Error("what was saved is still a draft")
	}
	page := func(number uint64) overlay.Turn { return overlay.Turn{Writer: "page", Number: number} }
	typed := put(t, o, overlay.Edit{Key: config, Text: "saved and more", Base: onDisk, By: page(3)})
	o.Saved(config, overlay.Base{Version: "v2", Text: "saved"}, overlay.Part{By: page(2)})
	got, ok := o.Get(config)
	if !ok || got.Text != "saved and more" || got.Base.Version != "v2" || got.Version <= typed.Version {
		t.Errorf("typed while it was saved: %+v", got)
	}
}

// TestSavedByAnother: a draft that the saving writer does not know keeps its base, so that it does not
// overwrite the saved file unasked.
func TestSavedByAnother(t *testing.T) {
	for name, part := range map[string]overlay.Part{
		"another page saves":     {By: overlay.Turn{Writer: "page", Number: 7}},
		"a plan is carried out":  {Version: 1},
		"who saves is not known": {},
	} {
		o := newOverlay()
		mine := put(t, o, overlay.Edit{Key: config, Text: "mine", Base: onDisk, By: overlay.Turn{Writer: "other", Number: 1}})
		o.Saved(config, overlay.Base{Version: "v2", Text: "theirs"}, part)
		if d, _ := o.Get(config); d.Text != "mine" || d.Base != onDisk || d.Version != mine.Version {
			t.Errorf("%s: %+v", name, d)
		}
	}
}

// TestGoneBeforeItWasHeardOf: a page sends a second edit before the first has an answer. It arrives
// after another writer discarded or saved the draft of the first. It does not bring the draft back.
func TestGoneBeforeItWasHeardOf(t *testing.T) {
	page := func(number uint64) overlay.Turn { return overlay.Turn{Writer: "page", Number: number} }
	for name, end := range map[string]func(o *overlay.Overlay, d overlay.Draft){
		"discarded": func(o *overlay.Overlay, _ overlay.Draft) { o.Drop(config) },
		"saved": func(o *overlay.Overlay, d overlay.Draft) {
			o.Saved(config, overlay.Base{Version: "v2", Text: "typed"}, overlay.Part{Version: d.Version, By: overlay.Turn{Writer: "other", Number: 9}})
		},
	} {
		o := newOverlay()
		end(o, put(t, o, overlay.Edit{Key: config, Text: "typed", Base: onDisk, By: page(1)}))
		var gone *overlay.GoneError
		for number := range uint64(2) {
			_, err := o.Put(overlay.Edit{Key: config, Text: "typed more", Base: onDisk, By: page(2 + number)})
			if d, back := o.Get(config); back || !errors.As(err, &gone) {
				t.Errorf("%s: edit %d, %v, leaves %q", name, 2+number, err, d.Text)
			}
		}
		put(t, o, overlay.Edit{Key: config, Text: "of another page", Base: onDisk, By: overlay.Turn{Writer: "third", Number: 1}})
	}
}

// TestSavedBeforeItWasKept: a text is saved before its last edits arrive. No older text stays over the
// file, and what was typed after the save stays.
func TestSavedBeforeItWasKept(t *testing.T) {
	page := func(number uint64) overlay.Turn { return overlay.Turn{Writer: "page", Number: number} }
	saved := overlay.Base{Version: "v2", Text: "abc"}
	for name, part := range map[string]func(known uint64) overlay.Part{
		"an answer came":     func(known uint64) overlay.Part { return overlay.Part{Version: known} },
		"no answer has come": func(uint64) overlay.Part { return overlay.Part{By: page(2)} },
	} {
		o := newOverlay()
		known := put(t, o, overlay.Edit{Key: config, Text: "ab", Base: onDisk, By: page(1)})
		o.Saved(config, saved, part(known.Version))
		if left, ok := o.Get(config); ok {
			t.Errorf("%s: %q is left over %q", name, left.Text, left.Base.Text)
		}
	}
	o := newOverlay()
	o.Saved(config, saved, overlay.Part{By: page(2)})
	for number, text := range map[uint64]string{1: "ab", 2: "abc"} {
		if late := put(t, o, overlay.Edit{Key: config, Text: text, Base: onDisk, By: page(number)}); late.Version != 0 {
			t.Errorf("%q was on its way and is a draft now", late.Text)
		}
	}
	put(t, o, overlay.Edit{Key: config, Text: "abcd", Base: onDisk, By: page(3)})
	o.Saved(config, saved, overlay.Part{By: page(2)})
	if d, _ := o.Get(config); d.Text != "abcd" || d.Base != saved {
		t.Errorf("typed after it was saved: %+v", d)
	}
}

// TestJudgedBeforeTheSaveIsAnswered: a page asks about its text again while the answer to its save is on the way. The text is
// on disk, so it is no draft; what is typed on begins from what was saved. Another writer, and a page that has taken
// another file from the disk since, say themselves where they begin.
func TestJudgedBeforeTheSaveIsAnswered(t *testing.T) {
	page := func(number uint64) overlay.Turn { return overlay.Turn{Writer: "page", Number: number} }
	saved, other := overlay.Base{Version: "v2", Text: "saved"}, overlay.Base{Version: "v3", Text: "other"}
	for _, c := range []struct {
		name string
		edit overlay.Edit
		want overlay.Base // the zero Base for no draft
	}{
		{"the same text", overlay.Edit{Text: "saved", Base: onDisk, By: page(5)}, overlay.Base{}},
		{"typed on", overlay.Edit{Text: "saved and more", Base: onDisk, By: page(5)}, saved},
		{"from another file", overlay.Edit{Text: "saved", Base: other, By: page(5)}, other},
		{"by another writer", overlay.Edit{Text: "saved", Base: onDisk, By: overlay.Turn{Writer: "second", Number: 1}}, onDisk},
	} {
		o := newOverlay()
		put(t, o, overlay.Edit{Key: config, Text: "saved", Base: onDisk, By: page(2)})
		o.Saved(config, saved, overlay.Part{By: page(2), Began: onDisk.Version})
		c.edit.Key = config
		put(t, o, c.edit)
		if d, _ := o.Get(config); d.Base != c.want {
			t.Errorf("%s: the draft is %+v, want one from %+v", c.name, d, c.want)
		}
	}
}

func TestMove(t *testing.T) {
	o := newOverlay()
	put(t, o, overlay.Edit{Key: config, Text: "a"})
	put(t, o, overlay.Edit{Key: overlay.Key{Root: config.Root, Path: "digits_prepare/config.pbtxt"}, Text: "b"})
	o.Move(overlay.Key{Root: config.Root, Path: "digits"}, overlay.Key{Root: config.Root, Path: "numbers"})
	list := o.In(config.Root)
	if len(list) != 2 || list[0].Path != "digits_prepare/config.pbtxt" || list[1].Path != "numbers/config.pbtxt" || list[1].Text != "a" {
		t.Errorf("%+v", list)
	}
}

// TestBounds: a kept text stays; a text that does not fit is refused, and the error says what to do.
func TestBounds(t *testing.T) {
	o := overlay.New(overlay.Bounds{Files: 2, Text: 100, All: 150}, time.Now)
	key := func(name string) overlay.Key { return overlay.Key{Root: "/r", Path: name} }
	refused := func(e overlay.Edit, words string) {
		t.Helper()
		_, err := o.Put(e)
		var full *overlay.FullError
		if !errors.As(err, &full) || !strings.Contains(err.Error(), words) {
			t.Errorf("%v, want %q", err, words)
		}
	}
	put(t, o, overlay.Edit{Key: key("a"), Text: strings.Repeat("a", 80)})
	refused(overlay.Edit{Key: key("b"), Text: strings.Repeat("b", 101)}, "so make it smaller")
	refused(overlay.Edit{Key: key("b"), Text: "b", Base: overlay.Base{Text: strings.Repeat("b", 80)}}, "save or discard some")
	b := put(t, o, overlay.Edit{Key: key("b"), Text: strings.Repeat("b", 70)})
	refused(overlay.Edit{Key: key("c"), Text: "c"}, "2 other files")
	put(t, o, overlay.Edit{Key: key("b"), Text: "b", Since: b.Version})
	o.Drop(key("a"))
	put(t, o, overlay.Edit{Key: key("c"), Text: strings.Repeat("c", 100)})
	if list := o.In("/r"); len(list) != 2 {
		t.Errorf("%v", list)
	}
}

func TestApply(t *testing.T) {
	src := "name: \"😀\"\r\nbackend: \"x\"\n"
	got, err := overlay.Apply(src, []overlay.Change{
		{From: overlay.Position{Column: 7}, To: overlay.Position{Column: 9}, Text: "digits"},
		{From: overlay.Position{Line: 1, Column: 10}, To: overlay.Position{Line: 1, Column: 11}, Text: "onnx\nruntime"},
		{From: overlay.Position{Line: 2}, To: overlay.Position{Line: 2}, Text: "_"},
		{From: overlay.Position{Line: 9}, To: overlay.Position{Line: 9}, Text: "# end"},
	})
	if want := "name: \"digits\"\r\nbackend: \"onnx\n_runtime\"\n# end"; err != nil || got != want {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := overlay.Apply(src, []overlay.Change{{From: overlay.Position{Line: 1}}}); err == nil {
		t.Error("a change that ends before it begins is made")
	}
}
