package repo_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"conch/repo"
	"conch/repo/scan"
	"conch/repo/watch"
	"conch/repo/write"
)

// deadline is generous: it is reached only when something is broken.
const deadline = time.Minute

func TestSaveIsSeen(t *testing.T) {
	for _, mode := range []watch.Mode{watch.Notify, watch.Poll} {
		t.Run(string(mode), func(t *testing.T) {
			root := sample(t)
			r := open(t, root, repo.Options{Watch: watch.Options{Mode: mode}})
			if got := r.Status().Mode; got != mode {
				t.Errorf("mode = %v", got)
			}
			updates, cancel := r.Subscribe()
			defer cancel()
			config := filepath.Join(root, "digits", "config.pbtxt")
			save(t, config, "max_batch_size: 8\n")
			await(t, updates, func(x *scan.Index) bool {
				return string(x.Model("digits").ConfigText) == "max_batch_size: 8\n"
			})
		})
	}
}

func TestNewModelIsSeenWhole(t *testing.T) {
	root := sample(t)
	r := open(t, root, repo.Options{})
	updates, cancel := r.Subscribe()
	defer cancel()
	_, err := write.Waiting{}.NewModel(root, "fresh", []byte("x"), nil)
	check(t, err)
	// A scan in between may have met the folder under its temporary name.
	x := await(t, updates, func(x *scan.Index) bool { return x.Model("fresh") != nil && len(x.Strays) == 0 })
	if m := x.Model("fresh"); len(m.Versions) != 1 || string(m.ConfigText) != "x" {
		t.Errorf("model = %+v", m)
	}
}

// TestCopiedModelsAreSeenWhole: while models are copied in, no Index ever has half of one, and the copying of many
// makes few of them.
func TestCopiedModelsAreSeenWhole(t *testing.T) {
	const models, files = 20, 30
	root := sample(t)
	ms := time.Millisecond
	slow := &watch.Timing{Small: 50 * ms, Medium: 50 * ms, Large: 50 * ms, Folder: 500 * ms, Patience: 500 * ms, Interval: time.Second}
	r := open(t, root, repo.Options{Watch: watch.Options{Mode: watch.Notify, Timing: slow}})
	updates, cancel := r.Subscribe()
	defer cancel()
	// What is there already when watching begins is taken as it is.
	check(t, os.WriteFile(filepath.Join(root, "digits", "config.pbtxt"), []byte("begun"), 0o644))
	await(t, updates, func(x *scan.Index) bool { return string(x.Model("digits").ConfigText) == "begun" })
	copied := make(chan time.Duration, 1) // the longest that one model took
	go func() { copied <- copyModels(t, root, models, files) }()
	states, halves := 0, []string{}
	await(t, updates, func(x *scan.Index) bool {
		states++
		whole := 0
		for _, m := range x.Models {
			switch {
			case !strings.HasPrefix(m.Name, "copy"):
			case len(m.Versions) == 1 && len(m.Versions[0].Files) == files && m.ConfigPath != "":
				whole++
			default:
				halves = append(halves, m.Name)
			}
		}
		return whole == models
	})
	// On a machine that stands still for so long, a copy that pauses looks like one that is done.
	if took := <-copied; took < slow.Folder && (len(halves) > 0 || states > 2*models) {
		t.Errorf("%d states for %d models; halves were %v", states, models, halves)
	}
}

// copyModels writes models file by file, and gives the longest that one of them took.
func copyModels(t *testing.T, root string, models, files int) (longest time.Duration) {
	for i := range models {
		begun, dir := time.Now(), filepath.Join(root, fmt.Sprintf("copy%d", i))
		err := os.MkdirAll(filepath.Join(dir, "1", "deep"), 0o755)
		for j := range files {
			err = errors.Join(err, os.WriteFile(filepath.Join(dir, "1", "deep", fmt.Sprint(j)), []byte("x"), 0o644))
		}
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, "config.pbtxt"), []byte("x"), 0o644))
		if err != nil {
			t.Error(err)
		}
		longest = max(longest, time.Since(begun))
	}
	return longest
}

func TestTouchAndRefresh(t *testing.T) {
	root := sample(t)
	r := open(t, root, repo.Options{Still: true})
	first := r.Current()
	if r.Refresh() != first || r.Touch(filepath.Join(root, "digits")) != first {
		t.Error("a new Index although nothing changed")
	}
	check(t, os.WriteFile(filepath.Join(root, "digits", "config.pbtxt"), []byte("changed"), 0o644))
	x := r.Touch(filepath.Join(root, "digits", "config.pbtxt"))
	if x.Seq != first.Seq+1 || r.Current() != x || string(x.Model("digits").ConfigText) != "changed" {
		t.Errorf("Seq = %d after %d", x.Seq, first.Seq)
	}
	if text := string(first.Model("digits").ConfigText); text != "name: \"digits\"\n" {
		t.Errorf("the Index before says %q now", text)
	}
	check(t, os.RemoveAll(filepath.Join(root, "digits")))
	if x = r.Refresh(); x.Model("digits") != nil || x.Seq != first.Seq+2 {
		t.Errorf("Refresh: %+v", x)
	}
}

// TestSlowSubscriber gets the latest state, and delays nobody.
func TestSlowSubscriber(t *testing.T) {
	root := sample(t)
	r := open(t, root, repo.Options{Still: true})
	updates, cancel := r.Subscribe()
	for i := range 10 {
		check(t, os.WriteFile(filepath.Join(root, "digits", "config.pbtxt"), fmt.Append(nil, i), 0o644))
		r.Refresh()
	}
	if x := <-updates; x != r.Current() || string(x.Model("digits").ConfigText) != "9" {
		t.Errorf("got Seq %d, current is %d", x.Seq, r.Current().Seq)
	}
	cancel()
	cancel()
	if _, ok := <-updates; ok {
		t.Error("the channel is open after cancel")
	}
}

func TestCloseEndsSubscriptions(t *testing.T) {
	r := open(t, sample(t), repo.Options{})
	updates, cancel := r.Subscribe()
	defer cancel()
	var wait sync.WaitGroup
	wait.Go(func() {
		for range updates {
		}
	})
	r.Close()
	r.Close()
	wait.Wait()
	late, _ := r.Subscribe()
	if x, ok := <-late; !ok || x != r.Current() {
		t.Error("a late subscriber gets no state")
	}
	if _, ok := <-late; ok {
		t.Error("the channel is open after Close")
	}
}

func TestOpenRefuses(t *testing.T) {
	root := sample(t)
	for path, want := range map[string]string{
		filepath.Join(root, "gone"):                   "Try " + root,
		filepath.Join(root, "digits", "config.pbtxt"): "Open the folder",
	} {
		_, err := repo.Open(t.Context(), []string{path}, repo.Options{})
		var not *repo.NotARepositoryError
		if !errors.As(err, &not) || !strings.Contains(err.Error(), want) {
			t.Errorf("Open(%s) = %v", path, err)
		}
	}
	if _, err := repo.Open(t.Context(), nil, repo.Options{}); err == nil {
		t.Error("Open without paths succeeded")
	}
}

func TestContextEndsWatching(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r, err := repo.Open(ctx, []string{sample(t)}, repo.Options{})
	check(t, err)
	cancel()
	r.Close()
}

// BenchmarkSaveToIndex measures the time from the end of a save to the Index
// that has it; most of it is the pause in which a file has to be quiet.
func BenchmarkSaveToIndex(b *testing.B) {
	root := sample(b)
	r, err := repo.Open(b.Context(), []string{root}, repo.Options{})
	check(b, err)
	defer r.Close()
	updates, cancel := r.Subscribe()
	defer cancel()
	config := filepath.Join(root, "digits", "config.pbtxt")
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		text := fmt.Sprintf("max_batch_size: %d\n", i)
		save(b, config, text)
		b.StartTimer()
		await(b, updates, func(x *scan.Index) bool { return string(x.Model("digits").ConfigText) == text })
	}
}

// save saves a file, whatever it holds.
func save(t testing.TB, path, text string) {
	t.Helper()
	_, version, err := write.Read(path)
	check(t, err)
	_, err = write.Save(path, []byte(text), version)
	check(t, err)
}

func sample(t testing.TB) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	check(t, err)
	check(t, os.MkdirAll(filepath.Join(root, "digits", "1"), 0o755))
	check(t, os.WriteFile(filepath.Join(root, "digits", "1", "model.onnx"), []byte("onnx"), 0o644))
	check(t, os.WriteFile(filepath.Join(root, "digits", "config.pbtxt"), []byte("name: \"digits\"\n"), 0o644))
	return root
}

func open(t *testing.T, root string, options repo.Options) *repo.Repository {
	t.Helper()
	r, err := repo.Open(t.Context(), []string{root}, options)
	check(t, err)
	t.Cleanup(r.Close)
	return r
}

func await(t testing.TB, updates <-chan *scan.Index, ok func(*scan.Index) bool) *scan.Index {
	t.Helper()
	timeout := time.After(deadline)
	for {
		select {
		case x := <-updates:
			if ok(x) {
				return x
			}
		case <-timeout:
			t.Fatal("the expected Index never came")
		}
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
