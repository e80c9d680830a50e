//go:build unix

package environments_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"conch/engine/backend/python/environments"
	"conch/engine/backend/python/environments/wheeltest"
	"conch/engine/filelock"
	"conch/engine/filelock/filelocktest"
)

// bench is a store with a folder of wheels.
type bench struct {
	*environments.Store
	index wheeltest.Index
	runs  atomic.Int64 // commands that were run
}

// python is the interpreter of the tests, which makes environments by its own pip.
func python(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("../../../../build/cache/venv/bin/python3")
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		t.Fatalf("these tests need a Python, which `make setup-test` installs: %v", err)
	}
	return path
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{index: wheeltest.New(t)}
	t.Setenv("PATH", filepath.Dir(python(t))) // without uv
	return b.ready(t)
}

// tools runs a test with pip, and with uv where this machine has it.
func tools(t *testing.T, test func(t *testing.T, name string, b *bench)) {
	t.Run("pip", func(t *testing.T) { test(t, "pip", newBench(t)) })
	t.Run("uv", func(t *testing.T) {
		if _, err := exec.LookPath("uv"); err != nil {
			t.Skip("uv is not on PATH")
		}
		test(t, "uv", (&bench{index: wheeltest.New(t)}).ready(t))
	})
}

// ready adds a store and packages.
func (b *bench) ready(t *testing.T) *bench {
	t.Helper()
	b.Store = b.another(t.TempDir())
	t.Cleanup(b.Close)
	b.index.AddNumPy(t, "")
	b.index.Add(t, "shells", "1.0", map[string]string{"shells.py": "KIND = 'conch'"})
	return b
}

// another returns a store as another process would have it.
func (b *bench) another(dir string) *environments.Store {
	return &environments.Store{Dir: dir, Run: func(ctx context.Context, cmd *exec.Cmd) error {
		b.runs.Add(1)
		if err := cmd.Start(); err != nil {
			return err
		}
		stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
		defer stop()
		return errors.Join(cmd.Wait(), ctx.Err())
	}}
}

// list writes a requirements.txt.
func list(t *testing.T, text string) environments.Wanted {
	t.Helper()
	file := filepath.Join(t.TempDir(), "requirements.txt")
	write(t, file, text)
	return wanted(t, file)
}

func wanted(t *testing.T, file string) environments.Wanted {
	t.Helper()
	r, err := environments.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	return environments.Wanted{Interpreter: python(t), Requirements: r, For: "model 'm'"}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func idOf(t *testing.T, s *environments.Store, w environments.Wanted) string {
	t.Helper()
	id, err := s.ID(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// made makes an environment and returns it with what people were told.
func made(t *testing.T, s *environments.Store, w environments.Wanted) (environments.Environment, []string, error) {
	t.Helper()
	var told []string
	e, err := s.Make(t.Context(), idOf(t, s, w), w, func(text string) { told = append(told, text) }, slog.New(slog.DiscardHandler))
	return e, told, err
}

// An environment has what its list names. It is made once, and found by every process that wants the same.
func TestMake(t *testing.T) { tools(t, testMake) }

func testMake(t *testing.T, name string, b *bench) {
	w := list(t, "shells>=1  # of the sea\n\n# nothing\n")
	if _, there := b.Find(idOf(t, b.Store, w)); there {
		t.Fatal("it is there before it is made")
	}
	e, told, err := made(t, b.Store, w)
	if err != nil {
		t.Fatal(err)
	}
	wants := map[string][]string{"pip": {"making a Python environment", "installing packages: processing ", "installing 2 packages"}, "uv": {"installing 2 packages"}}
	for _, want := range wants[name] {
		if !strings.Contains(strings.Join(told, "\n"), want) {
			t.Errorf("people are not told %q: %q", want, told)
		}
	}
	interpreter, err := e.Interpreter()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(interpreter, "-c", "import shells; print(shells.KIND)").CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "conch" {
		t.Errorf("it has not what it should: %s, %v", out, err)
	}
	if got := strings.Join(e.Packages, ";"); got != "shells>=1" || e.For != "model 'm'" || e.Bytes == 0 {
		t.Errorf("it says of itself: %+v", e)
	}
	other := b.another(b.Dir)
	defer other.Close()
	before := b.runs.Load()
	again, _, err := made(t, other, list(t, "shells>=1  # of the sea\n\n# nothing\n"))
	if err != nil || again.Dir != e.Dir || b.runs.Load() != before+1 { // the interpreter is asked once by each process
		t.Errorf("another process makes it again: %v, %v, %d commands", again.Dir, err, b.runs.Load()-before)
	}
}

// What is downloaded goes into the folder of the environment, which goes away with a load that is stopped, and nothing of it stays in
// a whole one.
func TestTemporaryFiles(t *testing.T) {
	b := newBench(t)
	run, in := b.Run, ""
	b.Run = func(ctx context.Context, cmd *exec.Cmd) error {
		if slices.Contains(cmd.Args, "install") {
			for _, v := range cmd.Env {
				if value, is := strings.CutPrefix(v, "TMPDIR="); is {
					in = value
				}
			}
			write(t, filepath.Join(in, "half.whl"), "half a wheel")
		}
		return run(ctx, cmd)
	}
	e, _, err := made(t, b.Store, list(t, "shells"))
	if err != nil || filepath.Dir(in) != e.Dir {
		t.Errorf("the environment is %s, and downloads go to %s, %v", e.Dir, in, err)
	}
	if _, err := os.Stat(in); !os.IsNotExist(err) {
		t.Errorf("%s is still there: %v", in, err)
	}
}

// Two loads that want the same at the same time make it once.
func TestMakeAtTheSameTime(t *testing.T) {
	b := newBench(t)
	w := list(t, "shells")
	other := b.another(b.Dir)
	defer other.Close()
	id := idOf(t, b.Store, w)
	idOf(t, other, w)
	before := b.runs.Load()
	var wait sync.WaitGroup
	for _, s := range []*environments.Store{b.Store, other} {
		wait.Go(func() {
			if _, err := s.Make(t.Context(), id, w, func(string) {}, slog.New(slog.DiscardHandler)); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if got := b.runs.Load() - before; got != 2 { // venv and pip
		t.Errorf("%d commands were run", got)
	}
}

// What a killed process left of an environment is not used. What a cancelled load made is gone.
func TestHalfEnvironments(t *testing.T) {
	b := newBench(t)
	w := list(t, "shells")
	id := idOf(t, b.Store, w)
	turn, err := filelock.Take(t.Context(), filepath.Join(b.Dir, id+".lock"), func() {})
	if err != nil {
		t.Fatal(err)
	}
	half, err := turn.Folder(b.Dir, id+"-*")
	if err == nil {
		err = os.Mkdir(filepath.Join(half, "bin"), 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	turn.End()
	write(t, filepath.Join(half, "bin", "python3"), "")
	if _, there := b.Find(id); there {
		t.Error("half an environment is used")
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err = b.Make(ctx, id, w, func(text string) {
		if strings.Contains(text, "installing") {
			cancel()
		}
	}, slog.New(slog.DiscardHandler))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled load: %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(b.Dir, id+"-*")); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	b.Time = time.Nanosecond
	if _, err := b.Make(t.Context(), id, w, func(string) {}, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "it took more than 1ns") {
		t.Errorf("out of time: %v", err)
	}
	b.Time = 0
	if _, _, err := made(t, b.Store, w); err != nil {
		t.Errorf("at last: %v", err)
	}
}

// Another list, and another interpreter, are another environment. The place of a list counts only when it names files.
func TestIDs(t *testing.T) {
	b := newBench(t)
	id := func(text string) string { return idOf(t, b.Store, list(t, text)) }
	if first, second := id("shells"), id("shells"); first != second || first == id("shells==1.0") {
		t.Error("the text of a list does not make its environment")
	}
	if first, second := id("./shells.whl"), id("./shells.whl"); first == second {
		t.Error("lists in two folders that name files share an environment")
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "requirements.txt"), "-r more.txt\n")
	write(t, filepath.Join(dir, "more.txt"), "shells")
	w := wanted(t, filepath.Join(dir, "requirements.txt"))
	if got := strings.Join(w.Requirements.Lines(), ";"); got != "shells" {
		t.Errorf("an included list says %s", got)
	}
	before := idOf(t, b.Store, w)
	write(t, filepath.Join(dir, "more.txt"), "shells\nmore")
	if idOf(t, b.Store, wanted(t, filepath.Join(dir, "requirements.txt"))) == before {
		t.Error("a changed list that is included changes nothing")
	}
	for version, want := range map[string]bool{"3.99.0": false, "3.11.7": true} {
		fake := filepath.Join(t.TempDir(), "python3")
		write(t, fake, "#!/bin/sh\necho '{\"version\": \""+version+"\", \"tag\": \"t\", \"platform\": \"p\", \"base\": \"/\"}'\n")
		if err := os.Chmod(fake, 0o700); err != nil {
			t.Fatal(err)
		}
		w := environments.Wanted{Interpreter: fake, Requirements: environments.Packages("shells")}
		const of3117 = "3.11.7"
		other := filepath.Join(t.TempDir(), "python3")
		write(t, other, "#!/bin/sh\necho '{\"version\": \""+of3117+"\", \"tag\": \"t\", \"platform\": \"p\", \"base\": \"/\"}'\n")
		if err := os.Chmod(other, 0o700); err != nil {
			t.Fatal(err)
		}
		if same := idOf(t, b.Store, w) == idOf(t, b.Store, environments.Wanted{Interpreter: other, Requirements: w.Requirements}); same != want {
			t.Errorf("the environments of Python %s and %s are the same: %v", version, of3117, same)
		}
	}
}

// The reasons of failures are told in words that say what to do. The tools are the real ones.
func TestFailures(t *testing.T) { tools(t, testFailures) }

func testFailures(t *testing.T, name string, b *bench) {
	b.index.Add(t, "young", "1.0", nil, "Requires-Python: >=4")
	b.index.Add(t, "one", "1.0", nil, "Requires-Dist: shells<1")
	for text, want := range map[string]string{
		"no-such-package":     "or the version that is asked for, was not found. " + name + " says: ",
		"young":               "a package is not made for this version of Python",
		"shells>=1\nshells<1": "contradict each other",
		"shells ==== 1":       "a line of the list cannot be read",
	} {
		if _, _, err := made(t, b.Store, list(t, text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	for name, value := range map[string]string{"PIP_NO_INDEX": "0", "PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_RETRIES": "1", "UV_OFFLINE": "0", "UV_INDEX_URL": "http://127.0.0.1:9/simple", "UV_HTTP_RETRIES": "0"} {
		t.Setenv(name, value)
	}
	if _, _, err := made(t, b.Store, list(t, "elsewhere")); err == nil || !strings.Contains(err.Error(), "the package index cannot be reached") {
		t.Errorf("without a network: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(b.Dir, "*", "*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// An environment that a process uses cannot be removed. One that nobody has used for a long time goes when the next one is made.
func TestRemoval(t *testing.T) {
	b := newBench(t)
	e, _, err := made(t, b.Store, list(t, "shells"))
	if err != nil {
		t.Fatal(err)
	}
	other := b.another(b.Dir)
	if err := other.Remove(t.Context(), e.ID); !errors.Is(err, environments.ErrInUse) {
		t.Errorf("while it is in use: %v", err)
	}
	if _, there := other.Find(e.ID); !there {
		t.Error("it is gone")
	}
	other.Release(e.ID)
	old := time.Now().Add(-61 * 24 * time.Hour)
	age := func() {
		if err := os.Chtimes(filepath.Join(e.Dir, "conch.json"), old, old); err != nil {
			t.Fatal(err)
		}
	}
	age()
	if _, _, err := made(t, other, list(t, "shells==1.0")); err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if len(b.List()) != 2 {
		t.Error("an old environment that is in use was removed")
	}
	b.Release(e.ID)
	age()
	second, _, err := made(t, other, list(t, "shells>0"))
	if err != nil {
		t.Fatal(err)
	}
	if list := b.List(); len(list) != 2 || list[0].ID != second.ID {
		t.Errorf("left: %+v", list)
	}
	other.Release(second.ID)
	if err := b.Remove(t.Context(), second.ID); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(second.Dir); !os.IsNotExist(err) {
		t.Errorf("it is still there: %v", err)
	}
	if err := b.Remove(t.Context(), "../"+filepath.Base(b.Dir)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("another folder: %v", err)
	}
}

// An old environment whose interpreter is gone is made again. Another old one whose lock somebody holds is left alone.
func TestOldEnvironments(t *testing.T) {
	b := newBench(t)
	w := list(t, "shells")
	old := time.Now().Add(-61 * 24 * time.Hour)
	id := idOf(t, b.Store, w)
	for _, name := range []string{id, "held"} {
		file := filepath.Join(b.Dir, name, "conch.json")
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, file, "{}")
		if err := os.Chtimes(file, old, old); err != nil {
			t.Fatal(err)
		}
	}
	lock := filelocktest.Lock(t, filepath.Join(b.Dir, "held.lock"))
	defer func() { _ = lock.Close() }()
	b.Time = time.Minute
	if _, _, err := made(t, b.Store, w); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(b.Dir, "held", "conch.json")); err != nil {
		t.Error(err)
	}
}
