package watch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// deadline is generous: it is reached only when something is broken.
const deadline = time.Minute

// quick keeps the tests on real files short.
func quick() *Timing {
	ms := time.Millisecond
	return &Timing{Small: 30 * ms, Medium: 60 * ms, Large: 100 * ms, Folder: 60 * ms, Patience: 100 * ms, Interval: 20 * ms}
}

// realCases are what TestRealFiles does in the repository of sample.
var realCases = map[string]struct {
	before func(t *testing.T, dir string)
	do     func(t *testing.T, dir string)
	want   []string
	never  []string
}{
	"write": {
		do:   func(t *testing.T, dir string) { put(t, dir, "m/config.pbtxt", "changed") },
		want: []string{"m/config.pbtxt"},
	},
	"atomic save": {
		do: func(t *testing.T, dir string) {
			put(t, dir, "m/.conch-config.pbtxt-1.tmp", "changed")
			check(t, os.Rename(filepath.Join(dir, "m/.conch-config.pbtxt-1.tmp"), filepath.Join(dir, "m/config.pbtxt")))
		},
		want:  []string{"m/config.pbtxt"},
		never: []string{"m/.conch-config.pbtxt-1.tmp"},
	},
	"swap file": {
		do: func(t *testing.T, dir string) {
			put(t, dir, "m/.config.pbtxt.swp", "x")
			put(t, dir, "m/1/__pycache__/model.pyc", "x")
			put(t, dir, "m/labels.txt", "x")
		},
		want:  []string{"m/labels.txt"},
		never: []string{"m/.config.pbtxt.swp", "m/1/__pycache__/model.pyc"},
	},
	"new model, deep": {
		do:   func(t *testing.T, dir string) { put(t, dir, "new/1/model.savedmodel/variables/v", "x") },
		want: []string{"new", "new/1/model.savedmodel/variables/v"},
	},
	"in a new folder, later": {
		before: func(t *testing.T, dir string) { put(t, dir, "later/1/model.onnx", "x") },
		do:     func(t *testing.T, dir string) { put(t, dir, "later/1/model.onnx", "changed") },
		want:   []string{"later/1/model.onnx"},
	},
	"delete": {
		do:   func(t *testing.T, dir string) { check(t, os.RemoveAll(filepath.Join(dir, "m"))) },
		want: []string{"m", "m/config.pbtxt"},
	},
	"rename model, then write in it": {
		before: func(t *testing.T, dir string) {
			check(t, os.Rename(filepath.Join(dir, "m"), filepath.Join(dir, "n")))
		},
		do:    func(t *testing.T, dir string) { put(t, dir, "n/1/model.onnx", "changed") },
		want:  []string{"n/1/model.onnx"},
		never: []string{"m/1/model.onnx"},
	},
	"linked model": {
		do:   func(t *testing.T, dir string) { put(t, dir, "../elsewhere/linked/config.pbtxt", "changed") },
		want: []string{"linked/config.pbtxt"},
	},
	"linked file": {
		do:   func(t *testing.T, dir string) { put(t, dir, "../elsewhere/shared.pbtxt", "changed") },
		want: []string{"shares/config.pbtxt"},
	},
	"alias in the repository": {
		do:   func(t *testing.T, dir string) { put(t, dir, "m/config.pbtxt", "changed") },
		want: []string{"m/config.pbtxt", "alias/config.pbtxt"},
	},
	"dangling link mended": {
		do:   func(t *testing.T, dir string) { put(t, dir, "../elsewhere/mended", "x") },
		want: []string{"shares/labels.txt"},
	},
	"touched": {
		do: func(t *testing.T, dir string) {
			check(t, os.Chtimes(filepath.Join(dir, "m/config.pbtxt"), time.Unix(1, 0), time.Unix(1, 0)))
		},
		want: []string{"m/config.pbtxt"},
	},
}

// TestRealFiles is one table for both ways to watch: what was done has to be
// told, and noise must not.
func TestRealFiles(t *testing.T) {
	for name, c := range realCases {
		for _, mode := range []Mode{Notify, Poll} {
			t.Run(fmt.Sprintf("%s/%s", name, mode), func(t *testing.T) {
				dir := sample(t)
				up := watching(t, dir, mode)
				if c.before != nil {
					c.before(t, dir)
					sentinel(t, up, dir, "before.txt")
				}
				c.do(t, dir)
				seen := await(t, up, dir, c.want...)
				seen = append(seen, sentinel(t, up, dir, "after.txt")...)
				for _, path := range c.never {
					if slices.Contains(seen, path) {
						t.Errorf("%s was told", path)
					}
				}
			})
		}
	}
}

// sample makes a small repository beside a folder that it links to.
func sample(t *testing.T) string {
	top, err := filepath.EvalSymlinks(t.TempDir())
	check(t, err)
	dir := filepath.Join(top, "repo")
	put(t, dir, "m/config.pbtxt", "x")
	put(t, dir, "m/1/model.onnx", "x")
	put(t, dir, "shares/1/model.onnx", "x")
	put(t, top, "elsewhere/linked/config.pbtxt", "x")
	put(t, top, "elsewhere/shared.pbtxt", "x")
	for link, target := range map[string]string{
		"linked":              "../elsewhere/linked",
		"shares/config.pbtxt": "../../elsewhere/shared.pbtxt",
		"shares/labels.txt":   "../../elsewhere/mended",
		"alias":               "m",
		"m/1/loop":            "..",
	} {
		check(t, os.Symlink(target, filepath.Join(dir, link)))
	}
	return dir
}

// TestRootComesAndGoes: a root may be missing, appear, be deleted, be made
// again, be replaced by another folder.
func TestRootComesAndGoes(t *testing.T) {
	for _, mode := range []Mode{Notify, Poll} {
		t.Run(string(mode), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "repo")
			up := watching(t, dir, mode)
			put(t, dir, "m/config.pbtxt", "x")
			await(t, up, dir, "m/config.pbtxt")
			check(t, os.RemoveAll(dir))
			full(t, up)
			put(t, dir, "m/config.pbtxt", "again")
			await(t, up, dir, "m/config.pbtxt")
			check(t, os.Rename(dir, dir+".old"))
			full(t, up)
			put(t, dir+".new", "n/config.pbtxt", "other")
			check(t, os.Rename(dir+".new", dir))
			await(t, up, dir, "n/config.pbtxt")
			put(t, dir, "n/config.pbtxt", "changed")
			await(t, up, dir, "n/config.pbtxt")
		})
	}
}

// TestLostEvents: after an overflow everything is looked at again, and
// folders made in the meantime are watched.
func TestLostEvents(t *testing.T) {
	dir := sample(t)
	fake := &exhausted{left: 1000}
	n := &notifier{roots: []string{dir}, folders: newFolders(t.Context(), fake)}
	n.folders.enter(dir, nil)
	put(t, dir, "unseen/1/model.onnx", "x")
	n.digest(batch{lost: true})
	if !n.folders.watched(filepath.Join(dir, "unseen", "1")) {
		t.Error("the new folder is not watched")
	}
	var paths []string
	lost := false
	for _, e := range n.events {
		paths = append(paths, e.path)
		lost = lost || e.full
	}
	if !lost || !slices.Contains(paths, filepath.Join(dir, "unseen/1/model.onnx")) {
		t.Errorf("reported %v, full %v", paths, lost)
	}
}

// TestHalfCopiedModel: while a model is being copied in, nothing is told of
// it; what is told after the last byte is told once.
func TestHalfCopiedModel(t *testing.T) {
	dir, timing := sample(t), *quick()
	timing.Small, timing.Folder = 300*time.Millisecond, 300*time.Millisecond
	w := New([]string{dir}, Options{Mode: Notify, Timing: &timing})
	up := run(t, w)
	full(t, up)
	for attempt := range 10 {
		name := fmt.Sprintf("copied%d", attempt)
		told, pause := copySlowly(t, up, dir, name)
		if len(told) == 0 {
			await(t, up, dir, name, name+"/config.pbtxt", name+"/1/model.onnx")
			return
		}
		// Where the machine stood still for so long, the watcher was right.
		if pause < timing.Small/2 {
			t.Fatalf("told %v while copying; the longest pause was %v", told, pause)
		}
	}
	t.Fatal("this machine never writes without long pauses")
}

// copySlowly writes a model bit by bit, and gives what was told meanwhile and
// the longest pause between two bits.
func copySlowly(t *testing.T, up <-chan Change, dir, name string) (told []string, pause time.Duration) {
	t.Helper()
	put(t, dir, name+"/config.pbtxt", "x")
	check(t, os.MkdirAll(filepath.Join(dir, name, "1"), 0o755))
	f, err := os.Create(filepath.Join(dir, name, "1", "model.onnx"))
	check(t, err)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for range 100 {
		last := time.Now()
		<-tick.C
		_, err := f.WriteString(strings.Repeat("x", 1000))
		check(t, err)
		pause = max(pause, time.Since(last))
		select {
		case c := <-up:
			told = append(told, c.Paths...)
		default:
		}
	}
	check(t, f.Close())
	return told, pause
}

func TestRunEndsWithItsContext(t *testing.T) {
	for _, mode := range []Mode{Auto, Notify, Poll} {
		ctx, cancel := context.WithCancel(t.Context())
		w := New([]string{t.TempDir()}, Options{Mode: mode})
		done := make(chan error)
		go func() { done <- w.Run(ctx, make(chan Change)) }()
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("%q: Run = %v", mode, err)
		}
	}
}

// watching starts to watch, and returns once the first Change has come.
func watching(t *testing.T, dir string, mode Mode) <-chan Change {
	t.Helper()
	w := New([]string{dir}, Options{Mode: mode, Timing: quick()})
	up := run(t, w)
	full(t, up)
	if got := w.Status().Mode; got != mode {
		t.Fatalf("mode = %v: %v", got, w.Status().Why)
	}
	return up
}

func run(t *testing.T, w *Watcher) <-chan Change {
	ctx, cancel := context.WithCancel(context.Background())
	up, done := make(chan Change), make(chan struct{})
	go func() { _ = w.Run(ctx, up); close(done) }()
	t.Cleanup(func() { cancel(); <-done })
	return up
}

// await receives until all the paths were told, and returns all that were.
func await(t *testing.T, up <-chan Change, dir string, paths ...string) []string {
	t.Helper()
	var seen []string
	timeout := time.After(deadline)
	for {
		missing := slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return slices.Contains(seen, p) })
		if len(missing) == 0 {
			return seen
		}
		select {
		case c := <-up:
			for _, p := range c.Paths {
				rel, err := filepath.Rel(dir, p)
				check(t, err)
				seen = append(seen, filepath.ToSlash(rel))
			}
		case <-timeout:
			t.Fatalf("%v never came; came: %v", missing, seen)
		}
	}
}

// sentinel writes one more file and waits for it, so that whatever had to be
// told before it has had its time.
func sentinel(t *testing.T, up <-chan Change, dir, name string) []string {
	t.Helper()
	put(t, dir, "zz/"+name, "x")
	return await(t, up, dir, "zz/"+name)
}

func full(t *testing.T, up <-chan Change) {
	t.Helper()
	timeout := time.After(deadline)
	for {
		select {
		case c := <-up:
			if c.Full {
				return
			}
		case <-timeout:
			t.Fatal("no full change came")
		}
	}
}

func put(t testing.TB, dir, rel, text string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(rel))
	check(t, os.MkdirAll(filepath.Dir(path), 0o755))
	check(t, os.WriteFile(path, []byte(text), 0o644))
}
