package control_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"conch/engine/backend"
	"conch/engine/control"
	"conch/engine/infer"
	"conch/engine/model"
)

// stuck makes the load of a model whose file says "stuck" last until it is stopped, and signals when it has
// begun.
func stuck(begun chan<- string) func(ctx context.Context, spec backend.Spec) error {
	return func(ctx context.Context, spec backend.Spec) error {
		text, err := os.ReadFile(spec.File)
		if err != nil || !strings.HasPrefix(string(text), "stuck") {
			return err
		}
		select {
		case begun <- spec.Name:
		default: // already reported
		}
		<-ctx.Done()
		return context.Cause(ctx)
	}
}

// following are the ways to follow files.
var following = map[string]control.Options{
	"poll":    {Mode: control.Poll, PollEvery: time.Hour},
	"on save": {Mode: control.Explicit, Reload: control.OnSave, LoadModels: []string{"*"}},
}

// happenings collects happenings until one of a kind has come.
func (b *bench) happenings(t *testing.T, last control.HappeningKind) (list []control.Happening) {
	t.Helper()
	limit, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for {
		c, err := b.watch.Next(limit)
		if err != nil {
			t.Fatalf("no happening of kind %d; index: %s; had %v", last, b.index(), list)
		}
		list = append(list, c.Happenings...)
		for _, h := range c.Happenings {
			if h.Kind == last {
				return list
			}
		}
	}
}

// A save can always be undone: a newer save ends the load under way, and no failure is reported.
func TestNewerSaveEndsALoad(t *testing.T) {
	for name, o := range following {
		for saved, said := range map[string]string{"two": "", "one": "nothing had to be reloaded"} {
			t.Run(name+" "+saved, func(t *testing.T) {
				begun := make(chan string, 1)
				b := start(t, o, func(b *bench) {
					b.add(t, "a", "one")
					b.fake.OnLoad = stuck(begun)
				})
				b.happenings(t, control.Loaded)
				b.dir.Write(t, "a/1/model.fake", "stuck")
				b.dir.Look()
				<-begun
				b.wantAnswer(t, "a", "one")
				b.dir.Look() // no change: the load goes on
				b.dir.Write(t, "a/1/model.fake", saved)
				b.dir.Look()
				list := b.happenings(t, control.Reloaded)
				if len(list) != 1 || !strings.Contains(list[0].Reason, said) {
					t.Errorf("told %v, want the newest load alone, and %q", list, said)
				}
				b.wantAnswer(t, "a", saved)
				b.wantIndex(t, "a/1 READY")
				if s, _ := b.Status("a"); s.LoadError != "" || s.Phase != "" || s.Versions[0].NewestFailed {
					t.Errorf("status %+v", s)
				}
			})
		}
	}
}

// A model whose load hangs at the start delays no other, and can be fixed.
func TestStuckStart(t *testing.T) {
	begun := make(chan string, 1)
	b := &bench{}
	heard := make(chan struct{})
	go func() {
		defer close(heard)
		<-begun
		b.dir.Write(t, "other/1/model.fake", "two")
		b.dir.Look()
		b.until(t, "the other model follows its files", func() bool { text, _ := b.ask("other", infer.Latest); return text == "two" })
		if b.Started() {
			t.Error("started with a model that still loads")
		}
		b.dir.Write(t, "a/1/model.fake", "mended")
		b.dir.Look()
	}()
	startAs(t, b, control.Options{Mode: control.Poll, PollEvery: time.Hour}, func(b *bench) {
		b.add(t, "a", "stuck")
		b.add(t, "other", "one")
		b.fake.OnLoad = stuck(begun)
	})
	<-heard
	b.wantAnswer(t, "a", "mended")
	if b.failed != 0 || !b.Ready() {
		t.Errorf("%d failed at the start, ready %v", b.failed, b.Ready())
	}
}

// A newer load of something else ends the load under way, whose caller gets the reason. A newer load of the same
// waits.
func TestNewerLoadEndsALoad(t *testing.T) {
	begun := make(chan string, 2)
	b := start(t, control.Options{Mode: control.Explicit}, func(b *bench) {
		b.add(t, "a", "stuck")
		b.fake.OnLoad = stuck(begun)
	})
	first, same := make(chan error, 1), make(chan error, 1)
	go func() { first <- b.Load(t.Context(), "a", control.Request{}) }()
	<-begun
	go func() { same <- b.Load(t.Context(), "a", control.Request{}) }()
	b.dir.Write(t, "a/1/model.fake", "two")
	b.load(t, "a")
	for _, answer := range []error{<-first, <-same} {
		if answer != nil && !strings.Contains(answer.Error(), "load of model 'a' was cancelled: a newer load came before it was done") {
			t.Errorf("the older load is told %v", answer)
		}
	}
	b.wantAnswer(t, "a", "two")
	if err := b.Load(t.Context(), "a", control.Request{Force: true}); err != nil {
		t.Error(err)
	}
}

// Requests for the same load at the same time do not end each other.
func TestSameLoadsAtATime(t *testing.T) {
	begun, open := make(chan struct{}), make(chan struct{})
	b := start(t, control.Options{Mode: control.Explicit}, func(b *bench) {
		b.add(t, "a", "one")
		b.fake.OnLoad = func(ctx context.Context, _ backend.Spec) error {
			close(begun)
			<-open
			return ctx.Err()
		}
	})
	ended := make(chan error)
	go func() { ended <- b.Load(t.Context(), "a", control.Request{}) }()
	<-begun
	for range 8 {
		go func() { ended <- b.Load(t.Context(), "a", control.Request{}) }()
	}
	close(open)
	for range 9 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	if n := b.fake.Loads.Load(); n != 1 {
		t.Errorf("%d loads, want 1", n)
	}
}

// An unload does not wait for the loads before it in the line, nor for the loads of an ensemble's models.
func TestUnloadOfAnEnsembleEndsTheLoadsOfItsModels(t *testing.T) {
	begun := make(chan string, 1)
	b := start(t, control.Options{Mode: control.Explicit}, func(b *bench) {
		b.add(t, "a", "one")
		b.add(t, "b", "stuck")
		b.addEnsemble(t, "e", "a", "b")
		b.fake.OnLoad = stuck(begun)
	})
	ended := make(chan error, 3)
	for range cap(ended) {
		go func() { ended <- b.Load(t.Context(), "e", control.Request{}) }()
	}
	<-begun
	if err := b.Unload("e", false); err != nil {
		t.Fatal(err)
	}
	for left := cap(ended); left > 0; {
		select {
		case err := <-ended:
			left--
			if err == nil {
				t.Error("an ended load says that it went well")
			}
		default: // a load that was requested after the unload begins again
			if err := b.Unload("e", false); err != nil {
				t.Fatal(err)
			}
		}
	}
	b.wantError(t, "b", "Request for unknown model: 'b' has no available versions")
	b.wantError(t, "e", "Request for unknown model: 'e' is not found")
}

// When a save ends the load of an ensemble's model, the ensemble is loaded after the model's next
// load.
func TestNewerSaveOfAPart(t *testing.T) {
	begun := make(chan string, 1)
	b := start(t, control.Options{Mode: control.Explicit, Reload: control.OnSave}, func(b *bench) {
		b.add(t, "a", "one")
		b.add(t, "b", "stuck")
		b.addEnsemble(t, "e", "a", "b")
		b.fake.OnLoad = stuck(begun)
	})
	ended := make(chan error, 1)
	go func() { ended <- b.Load(t.Context(), "e", control.Request{}) }()
	<-begun
	b.dir.Write(t, "b/1/model.fake", "mended")
	b.dir.Look()
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "its files were saved again before it was done") {
		t.Errorf("load = %v", err)
	}
	b.untilIndex(t, "a/1 READY, b/1 READY, e/1 READY")
	b.wantAnswer(t, "b", "mended")
}

// A model whose folder is removed while it loads is not loaded.
func TestFolderGoesDuringALoad(t *testing.T) {
	begun := make(chan string, 1)
	b := start(t, control.Options{Mode: control.Poll, PollEvery: time.Hour}, func(b *bench) {
		b.add(t, "other", "one")
		b.fake.OnLoad = stuck(begun)
	})
	b.add(t, "a", "stuck")
	b.dir.Look()
	<-begun
	b.dir.Remove(t, "a")
	b.dir.Look()
	b.untilIndex(t, "other/1 READY")
	if _, err := b.ask("a", infer.Latest); infer.CodeOf(err) == infer.Unknown || errors.Is(err, nil) {
		t.Errorf("a answers %v", err)
	}
}

// While a load runs, the model's status says so, and since when, besides the serving versions.
func TestLoadUnderWayIsTold(t *testing.T) {
	begun := make(chan string, 1)
	b := start(t, control.Options{Mode: control.Explicit, LoadModels: []string{"*"}}, func(b *bench) {
		b.add(t, "a", "one")
		b.fake.OnLoad = stuck(begun)
	})
	if s, _ := b.Status("a"); !s.Loading.IsZero() || s.Phase != "" {
		t.Errorf("loading since %v: %s", s.Loading, s.Phase)
	}
	before := time.Now()
	b.dir.Write(t, "a/1/model.fake", "stuck")
	ended := make(chan error, 1)
	go func() { ended <- b.Load(t.Context(), "a", control.Request{}) }()
	<-begun
	if s, _ := b.Status("a"); s.Loading.Before(before) || s.Phase != "creating session" || s.Versions[0].State != model.Ready {
		t.Errorf("loading since %v: %s; versions %v", s.Loading, s.Phase, s.Versions)
	}
	if err := b.Unload("a", false); err != nil {
		t.Fatal(err)
	}
	<-ended
	if s, _ := b.Status("a"); !s.Loading.IsZero() || s.Phase != "" {
		t.Errorf("after it: loading since %v: %s", s.Loading, s.Phase)
	}
}

// A listing of before a request, which comes late, does not unload the model that the request has loaded since.
func TestListingThatComesLate(t *testing.T) {
	b := start(t, control.Options{Mode: control.Explicit, Reload: control.OnSave, LoadModels: []string{"*"}},
		func(b *bench) { b.add(t, "a", "one") })
	late := b.dir.Look()
	b.add(t, "new", "one")
	b.load(t, "new")
	before, err := b.Version("new", infer.Latest)
	if err != nil {
		t.Fatal(err)
	}
	b.Follow(late)
	ordered := b.Kept()["tickets"]
	if now, _ := b.Version("new", infer.Latest); now != before || ordered > 0 {
		t.Errorf("the late listing unloads the model: the same version serves: %t; %d orders", now == before, ordered)
	}
}
