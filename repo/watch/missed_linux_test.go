package watch

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

// TestReplacedWhileEventsAreLost: what comes in the place of a folder is watched, and what is gone is forgotten, when the events that told it
// are lost.
func TestReplacedWhileEventsAreLost(t *testing.T) {
	for name, replace := range map[string]func(t *testing.T, root string){
		"moved away and made again": func(t *testing.T, root string) {
			check(t, os.Rename(filepath.Join(root, "m"), filepath.Join(t.TempDir(), "m")))
			put(t, root, "m/1/model.onnx", "other")
		},
		// The system may give the new folders the numbers of the old ones.
		"removed and made again": func(t *testing.T, root string) {
			check(t, os.RemoveAll(filepath.Join(root, "m")))
			put(t, root, "m/1/model.onnx", "other")
		},
		"exchanged": func(t *testing.T, root string) {
			for _, names := range [][2]string{{"m", "x"}, {"n", "m"}, {"x", "n"}} {
				check(t, os.Rename(filepath.Join(root, names[0]), filepath.Join(root, names[1])))
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			for _, file := range []string{"m/1/model.onnx", "n/1/model.onnx", "gone/1/model.onnx"} {
				put(t, root, file, "x")
			}
			w, err := fsnotify.NewWatcher()
			check(t, err)
			events, closed := newQueue(), newQueue()
			drained := make(chan struct{})
			go func() { events.drain(w); close(drained) }()
			both := newWatches(w, closed)
			defer func() { both.Close(); w.Close(); <-drained }()
			n := &notifier{roots: []string{root}, folders: newFolders(t.Context(), both, root)}
			n.folders.enter(root, nil)
			replace(t, root)
			check(t, os.RemoveAll(filepath.Join(root, "gone")))
			n.digest(batch{lost: true})

			if n.folders.watched(filepath.Join(root, "gone/1")) || len(n.folders.ids) != 5 {
				t.Errorf("watched: %v", n.folders.ids)
			}
			for _, file := range []string{"m/new", "m/1/new", "n/new", "n/1/new"} {
				put(t, root, file, "x")
				comes(t, events, fsnotify.Event{Name: filepath.Join(root, file), Op: fsnotify.Create})
			}
		})
	}
}

// comes waits for an event.
func comes(t *testing.T, q *queue, want fsnotify.Event) {
	t.Helper()
	timeout := time.After(deadline)
	for {
		for _, e := range q.take().events {
			if e.Name == want.Name && e.Op == want.Op {
				return
			}
		}
		select {
		case <-q.signal:
		case <-timeout:
			t.Fatalf("%v never came", want)
		}
	}
}
