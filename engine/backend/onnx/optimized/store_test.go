package optimized_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"conch/engine/backend/onnx/optimized"
)

// source is a model of so many bytes that has been lying there for a while.
func source(t *testing.T, name string, size int) optimized.Source {
	t.Helper()
	file := filepath.Join(t.TempDir(), name, "model.onnx")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, make([]byte, size), 0o644); err != nil {
		t.Fatal(err)
	}
	return optimized.Source{File: file, Library: "1", Options: "all"}
}

// look is the snapshot of a source when it is old enough to be trusted.
func look(t *testing.T, s optimized.Source) optimized.Snapshot {
	t.Helper()
	for {
		now, err := s.Look()
		if err != nil {
			t.Fatal(err)
		}
		if time.Since(now.Newest) > 50*time.Millisecond {
			return now
		}
		time.Sleep(time.Millisecond)
	}
}

// keep writes an entry as ONNX Runtime would.
func keep(t *testing.T, s *optimized.Store, from optimized.Source) string {
	t.Helper()
	now := look(t, from)
	draft := s.Begin(from, now)
	if draft == nil {
		t.Fatal("it is not kept")
	}
	write(t, draft, int(now.Bytes))
	draft.Keep()
	s.Close()
	return now.Key
}

func write(t *testing.T, d *optimized.Draft, size int) {
	t.Helper()
	for name, content := range map[string][]byte{
		d.Model(): []byte("graph"), filepath.Join(filepath.Dir(d.Model()), optimized.WeightsName): make([]byte, size),
	} {
		if err := os.WriteFile(name, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestLongestUnusedMakesRoom(t *testing.T) {
	dir := t.TempDir()
	s := optimized.New(optimized.Options{Dir: dir, Limit: 3500})
	var keys []string
	for i, name := range []string{"a", "b", "c"} {
		keys = append(keys, keep(t, s, source(t, name, 1000)))
		used := time.Now().Add(time.Duration(i-10) * time.Minute)
		if err := os.Chtimes(filepath.Join(dir, keys[i]), used, used); err != nil {
			t.Fatal(err)
		}
	}
	if s.Find(keys[0]) == "" {
		t.Fatal("the first is gone already")
	}
	keep(t, s, source(t, "d", 1000))
	for i, want := range []bool{true, false, true} {
		if got := s.Find(keys[i]) != ""; got != want {
			t.Errorf("%d: kept %v, want %v", i, got, want)
		}
	}
}

func TestWhatIsNotBegun(t *testing.T) {
	from := source(t, "m", 1000)
	for name, o := range map[string]optimized.Options{
		"the disk is nearly full":     {Limit: 1 << 30, Free: func(string) (int64, error) { return 1 << 29, nil }},
		"nobody knows how full it is": {Limit: 1 << 30, Free: func(string) (int64, error) { return 0, errors.New("no") }},
		"the model is too large":      {Limit: 1500},
	} {
		o.Dir = filepath.Join(t.TempDir(), "store")
		if d := optimized.New(o).Begin(from, look(t, from)); d != nil {
			t.Errorf("%s: begun", name)
		}
	}
	s := optimized.New(optimized.Options{Dir: t.TempDir(), Limit: 1 << 30})
	now := look(t, from)
	s.Refuse(now.Key)
	if d := s.Begin(from, now); d != nil {
		t.Error("a refused model is begun")
	}
	fresh := now
	fresh.Key, fresh.Newest = "x", time.Now()
	if d := s.Begin(from, fresh); d != nil {
		t.Error("a model is begun that may change within the clock's grain")
	}
}

func TestModelChangedMeanwhile(t *testing.T) {
	dir, from := t.TempDir(), source(t, "m", 1000)
	s := optimized.New(optimized.Options{Dir: dir, Limit: 1 << 30})
	now := look(t, from)
	d := s.Begin(from, now)
	write(t, d, 10)
	if err := os.WriteFile(from.File, make([]byte, 1000), 0o644); err != nil {
		t.Fatal(err)
	}
	d.Keep()
	s.Close()
	if left, _ := os.ReadDir(dir); len(left) > 0 || s.Find(now.Key) != "" {
		t.Errorf("left %v", left)
	}
}

func TestKeys(t *testing.T) {
	from := source(t, "m", 1000)
	first := look(t, from)
	if again := look(t, from); again.Key != first.Key {
		t.Error("the key of what did not change changed")
	}
	for name, change := range map[string]func(s *optimized.Source){
		"library": func(s *optimized.Source) { s.Library = "2" }, "options": func(s *optimized.Source) { s.Options = "basic" },
		"data beside it": func(s *optimized.Source) {
			if err := os.WriteFile(filepath.Join(filepath.Dir(s.File), "weights"), []byte("w"), 0o644); err != nil {
				t.Fatal(err)
			}
		},
	} {
		s := from
		change(&s)
		if other := look(t, s); other.Key == first.Key {
			t.Errorf("another %s has the same key", name)
		}
	}
}

// Several processes load the same model at once: one keeps it, the others leave nothing behind.
func TestManyKeepTheSame(t *testing.T) {
	dir, from := t.TempDir(), source(t, "m", 1000)
	now := look(t, from)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			s := optimized.New(optimized.Options{Dir: dir, Limit: 1 << 30})
			if d := s.Begin(from, now); d != nil {
				write(t, d, 1000)
				d.Keep()
				s.Close()
			}
		})
	}
	all.Wait()
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 || left[0].Name() != now.Key {
		t.Errorf("left %v, %v", left, err)
	}
	if optimized.New(optimized.Options{Dir: dir}).Find(now.Key) == "" {
		t.Error("what was kept is not found")
	}
}

func TestStaleDraftsGo(t *testing.T) {
	dir := t.TempDir()
	for name, age := range map[string]time.Duration{"draft-old": 2 * time.Hour, "draft-new": time.Minute} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(-age)
		if err := os.Chtimes(filepath.Join(dir, name), at, at); err != nil {
			t.Fatal(err)
		}
	}
	keep(t, optimized.New(optimized.Options{Dir: dir, Limit: 1 << 30}), source(t, "m", 10))
	var drafts []string
	left, _ := os.ReadDir(dir)
	for _, e := range left {
		if strings.HasPrefix(e.Name(), "draft-") {
			drafts = append(drafts, e.Name())
		}
	}
	if len(drafts) != 1 || drafts[0] != "draft-new" {
		t.Errorf("drafts left: %v", drafts)
	}
}
