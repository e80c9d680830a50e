package control_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"conch/engine/backend"
	"conch/engine/control"
	"conch/engine/control/controltest"
)

// importing has each load of a model import a file of a folder that all models share.
func importing(file string) func(b *bench) {
	return func(b *bench) {
		b.fake.OnLoad = func(_ context.Context, spec backend.Spec) error {
			if spec.Name == "alone" {
				return nil
			}
			text, err := os.ReadFile(file)
			spec.Imported([]backend.Import{{Path: file, Look: controltest.LookAt(file)}})
			if string(text) == "broken" {
				return errors.New("it is broken")
			}
			return err
		}
	}
}

// shared makes a file outside of the repository.
func shared(t *testing.T) (file string, save func(text string)) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "text.py")
	save = func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	save("1")
	return file, save
}

// A save of a file outside of the models' folders loads the models that import it, and no others. A broken one is told; its mend, too.
func TestImportsAreFollowed(t *testing.T) {
	for name, o := range following {
		t.Run(name, func(t *testing.T) {
			file, save := shared(t)
			b := start(t, o, func(b *bench) {
				b.add(t, "a", "one")
				b.add(t, "alone", "one")
				importing(file)(b)
			})
			b.until(t, "both serve", func() bool { return len(b.Serving()) == 2 })
			b.dir.Look()
			loads := b.fake.Loads.Load()
			for _, step := range []struct {
				text string
				want control.HappeningKind
			}{{"12", control.Reloaded}, {"broken", control.ReloadFailed}, {"1234", control.Reloaded}} {
				save(step.text)
				b.dir.Look()
				list := b.happenings(t, step.want)
				if last := list[len(list)-1]; last.Model != "a" || !slices.Equal(last.Imports, []string{file}) || last.Reason == "nothing had to be reloaded" {
					t.Errorf("after %q: %+v", step.text, last)
				}
			}
			b.dir.Look() // nothing has changed
			if got := b.fake.Loads.Load() - loads; got != 3 {
				t.Errorf("%d loads, want 3", got)
			}
			b.wantAnswer(t, "a", "one")
		})
	}
}

// Where nothing has served, a mended import loads the model.
func TestImportOfAFailedLoadIsFollowed(t *testing.T) {
	file, save := shared(t)
	save("broken")
	b := start(t, following["on save"], func(b *bench) {
		b.add(t, "a", "one")
		importing(file)(b)
	})
	b.happenings(t, control.LoadFailed)
	b.dir.Look()
	save("1")
	b.dir.Look()
	b.happenings(t, control.Loaded)
	b.wantAnswer(t, "a", "one")
}

// A model that does not follow its files is marked, and told which file it is. A load request loads it then.
func TestChangedImportsAreMarked(t *testing.T) {
	file, save := shared(t)
	o := control.Options{Mode: control.Explicit, Reload: control.Ask, LoadModels: []string{"*"}}
	b := start(t, o, func(b *bench) {
		b.add(t, "a", "one")
		importing(file)(b)
	})
	b.dir.Look()
	save("12")
	b.dir.Look()
	b.until(t, "the mark", func() bool {
		s, _ := b.Status("a")
		return s.Changed && slices.Equal(s.ChangedImports, []string{file})
	})
	loads := b.fake.Loads.Load()
	b.load(t, "a")
	if s, _ := b.Status("a"); s.Changed || s.ChangedImports != nil || b.fake.Loads.Load() != loads+1 {
		t.Errorf("after the load: %+v", s)
	}
	b.load(t, "a") // as in Triton, nothing is done where nothing has changed
	if got := b.fake.Loads.Load(); got != loads+1 {
		t.Errorf("%d loads, want %d", got, loads+1)
	}
}

// A save during the load of what imports the file is not lost: the load begins again.
func TestImportSavedDuringALoad(t *testing.T) {
	file, save := shared(t)
	begun, goOn := make(chan struct{}, 1), make(chan struct{})
	b := start(t, following["on save"], func(b *bench) {
		b.add(t, "a", "one")
		importing(file)(b)
	})
	b.happenings(t, control.Loaded)
	b.dir.Look()
	load := b.fake.OnLoad
	b.fake.OnLoad = func(ctx context.Context, spec backend.Spec) error {
		err := load(ctx, spec)
		begun <- struct{}{}
		select {
		case <-goOn:
		case <-ctx.Done():
		}
		return errors.Join(err, ctx.Err())
	}
	save("12")
	b.dir.Look()
	<-begun
	save("123")
	b.dir.Look()
	<-begun // another load
	close(goOn)
	b.happenings(t, control.Reloaded)
}

// A file that looks otherwise to a program than to the repository's source, as on a drive with a cache, is loaded again once, and not for ever.
func TestImportThatLooksOtherwise(t *testing.T) {
	file, _ := shared(t)
	b := start(t, following["poll"], func(b *bench) {
		b.add(t, "a", "one")
		b.fake.OnLoad = func(_ context.Context, spec backend.Spec) error {
			if spec.Name == "a" {
				spec.Imported([]backend.Import{{Path: file, Look: backend.FileLook{Size: 1000}}})
			}
			return nil
		}
	})
	b.happenings(t, control.Loaded)
	b.dir.Look()
	b.happenings(t, control.Reloaded)
	loads := b.fake.Loads.Load()
	for _, other := range []string{"b", "c", "d"} { // each comes with a new listing
		b.dir.Write(t, other+"/config.pbtxt", config(other))
		b.dir.Write(t, other+"/1/model.fake", "one")
		b.dir.Look()
		b.happenings(t, control.Loaded)
	}
	if got := b.fake.Loads.Load() - loads; got != 3 {
		t.Errorf("%d loads for three models", got)
	}
}

// What no loaded model imports is watched no longer, and in the mode none nothing is.
func TestImportsAreForgotten(t *testing.T) {
	file, _ := shared(t)
	prepare := func(b *bench) {
		b.add(t, "a", "one")
		importing(file)(b)
	}
	b := start(t, following["on save"], prepare)
	if got := b.dir.Watched(); !slices.Equal(got, []string{file}) {
		t.Errorf("watched: %v", got)
	}
	if err := b.Unload("a", false); err != nil {
		t.Fatal(err)
	}
	if got := b.dir.Watched(); len(got) != 0 {
		t.Errorf("watched after the unload: %v", got)
	}
	b.load(t, "a")
	b.fake.OnLoad = nil
	b.dir.Write(t, "a/1/model.fake", "it imports nothing now")
	b.load(t, "a")
	if got := b.dir.Watched(); len(got) != 0 {
		t.Errorf("watched after a load without it: %v", got)
	}
	if still := start(t, control.Options{Mode: control.None}, prepare); still.dir.Watched() != nil {
		t.Error("the mode none watches")
	}
}
