package control_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"conch/engine/control"
	"conch/engine/infer"
)

// rootTest runs a test with a repository with the models a and b and the ensemble e, for each way to follow
// files.
func rootTest(t *testing.T, story func(t *testing.T, b *bench, root, aside string)) {
	for name, o := range following {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := start(t, o, twoAndEnsemble(t))
				b.wantIndex(t, "a/1 READY, b/1 READY, e/1 READY")
				root := b.dir.Roots[0]
				story(t, b, root, root+"-aside")
			})
		})
	}
}

// look reads the repository and waits until nothing is left to do.
func (b *bench) look() {
	b.dir.Look()
	synctest.Wait()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wantServing fails unless this many versions serve and answer.
func (b *bench) wantServing(t *testing.T, when string, names ...string) {
	t.Helper()
	if n := len(b.Serving()); n != len(names) {
		t.Errorf("%s: %d versions serve, want %v; index: %s", when, n, names, b.index())
	}
	for _, name := range names {
		if _, err := b.ask(name, infer.Latest); err != nil {
			t.Errorf("%s: %s answers %v", when, name, err)
		}
	}
	if !b.Ready() {
		t.Errorf("%s: not ready", when)
	}
}

// A repository that cannot be read, or is suddenly empty, is reported, and its loaded models keep serving.
func TestRootThatVanishesForAMoment(t *testing.T) {
	rootTest(t, func(t *testing.T, b *bench, root, aside string) {
		loads := b.fake.Loads.Load()
		must(t, os.Rename(root, aside))
		b.look()
		b.wantServing(t, "away", "a", "b", "e")
		if told := b.happenings(t, control.RepositoryTrouble); !strings.Contains(told[len(told)-1].Reason, root) {
			t.Errorf("told %v", told)
		}
		for _, row := range b.Index(false) {
			if !strings.Contains(row.Reason, "no such file") {
				t.Errorf("the index says %+v", row)
			}
		}
		if len(b.Index(true)) != 3 || b.RootTroubles()[root] == "" {
			t.Errorf("index %s, troubles %v", b.index(), b.RootTroubles())
		}
		must(t, os.Mkdir(root, 0o755))
		b.look()
		b.wantServing(t, "an empty one in its place", "a", "b", "e")
		time.Sleep(10 * time.Minute)
		b.wantServing(t, "and ten minutes later", "a", "b", "e")
		must(t, os.Remove(root))
		must(t, os.Rename(aside, root))
		b.look()
		b.happenings(t, control.RepositoryBack)
		time.Sleep(10 * time.Minute)
		b.wantServing(t, "back", "a", "b", "e")
		b.wantIndex(t, "a/1 READY, b/1 READY, e/1 READY")
		if n := b.fake.Loads.Load() - loads; n != 0 || len(b.RootTroubles()) > 0 {
			t.Errorf("%d models were loaded again, troubles %v", n, b.RootTroubles())
		}
	})
}

// A repository that is filled again, model by model, loses no model. A model that is still missing after a while
// counts as removed.
func TestRootThatIsMadeAgain(t *testing.T) {
	rootTest(t, func(t *testing.T, b *bench, root, aside string) {
		must(t, os.Rename(root, aside))
		must(t, os.Mkdir(root, 0o755))
		b.add(t, "a", "two")
		b.look() // nobody saw that it was missing
		b.wantServing(t, "filled with one", "a", "b", "e")
		b.wantAnswer(t, "a", "two")
		time.Sleep(14 * time.Second)
		b.add(t, "b", "two")
		b.look()
		time.Sleep(14 * time.Second)
		b.wantServing(t, "filled with two", "a", "b", "e")
		time.Sleep(time.Minute)
		b.wantServing(t, "without the ensemble", "a", "b")
		b.wantAnswer(t, "b", "two")
	})
}

// Models that are removed one after the other are all unloaded.
func TestModelsRemovedOneByOne(t *testing.T) {
	rootTest(t, func(t *testing.T, b *bench, _, _ string) {
		for _, name := range []string{"e", "b", "a"} {
			b.dir.Remove(t, name)
		}
		b.look()
		b.wantServing(t, "all at once", "a", "b", "e")
		if told := fmt.Sprint(b.happenings(t, control.RepositoryTrouble)); !strings.Contains(told, "has no models any more") {
			t.Errorf("told %s", told)
		}
	})
	rootTest(t, func(t *testing.T, b *bench, _, _ string) {
		for _, name := range []string{"e", "b", "a"} {
			b.dir.Remove(t, name)
			b.look()
		}
		b.wantServing(t, "one by one")
		if len(b.RootTroubles()) > 0 {
			t.Errorf("troubles %v", b.RootTroubles())
		}
	})
}
