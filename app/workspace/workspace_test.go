//go:build unix

package workspace_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"conch/app/api"
	"conch/app/enginehost"
	"conch/app/enginetest"
	"conch/app/recovery"
	"conch/app/store"
	"conch/app/workspace"
	"conch/configedit/rule"
	"conch/engine/kserve/enginepb"
	"conch/repo"
	"conch/repo/watch"
)

func TestMain(m *testing.M) {
	enginetest.Main(func(f *enginetest.Fake, _ string) { f.Add("add_sub", "digits", "pair") })
	os.Exit(m.Run())
}

const (
	leaf = `backend: "python"
max_batch_size: 8
input [ { name: "X" data_type: TYPE_FP32 dims: [ 4 ] } ]
output [ { name: "Y" data_type: TYPE_FP32 dims: [ 4 ] } ]
`
	pair = `platform: "ensemble"
max_batch_size: 8
input [ { name: "X" data_type: TYPE_FP32 dims: [ 4 ] } ]
output [ { name: "Y" data_type: TYPE_FP32 dims: [ 4 ] } ]
ensemble_scheduling { step [
  { model_name: "digits" model_version: -1 input_map { key: "X" value: "X" } output_map { key: "Y" value: "mid" } },
  { model_name: "add_sub" model_version: -1 input_map { key: "X" value: "mid" } output_map { key: "Y" value: "Y" } }
] }
`
)

// repository makes a repository of these configs by model name.
func repository(t *testing.T, configs map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, config := range configs {
		if err := os.MkdirAll(filepath.Join(root, name, "1"), 0o755); err != nil {
			t.Fatal(err)
		}
		save(t, filepath.Join(root, name, "config.pbtxt"), config)
		save(t, filepath.Join(root, name, "1", "model.py"), "class TritonPythonModel:\n    pass\n")
	}
	return root
}

func save(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

type engines func(roots []string, up func(enginehost.Update)) (workspace.Engine, error)

func noEngine([]string, func(enginehost.Update)) (workspace.Engine, error) {
	return nil, errors.New("there is no engine in this test")
}

func childEngine(roots []string, up func(enginehost.Update)) (workspace.Engine, error) {
	return enginehost.Start(enginehost.Options{Command: []string{os.Args[0]}, Repositories: roots}, up)
}

// recoveryIn opens the recovery files of a folder.
func recoveryIn(t *testing.T, dir string) *recovery.Files {
	t.Helper()
	files := recovery.Open(recovery.Options{Dir: dir})
	t.Cleanup(files.Close)
	return files
}

func open(t *testing.T, root string, start engines) *workspace.Workspace {
	t.Helper()
	history, err := store.Open(t.Context(), store.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	w := workspace.New(workspace.Options{Store: history, Recovery: recoveryIn(t, t.TempDir()), StartEngine: start, Home: filepath.Dir(root)})
	t.Cleanup(func() {
		_ = w.Close()
		_ = history.Close()
	})
	if err := w.Open(t.Context(), []string{root}); err != nil {
		t.Fatal(err)
	}
	return w
}

// reader follows a workspace as a window does.
type reader struct {
	sub        *workspace.Subscription
	seq        uint64
	repository *api.Repository
	engine     *api.Engine
	models     map[string]*api.ModelSummary
	notices    []string
	level      api.Notice_Level // of the newest notice
	files      []*api.FileChange
}

func follow(t *testing.T, w *workspace.Workspace) *reader {
	t.Helper()
	r := &reader{sub: w.Subscribe()}
	t.Cleanup(r.sub.Close)
	return r
}

// until applies updates until a condition is met.
func (r *reader) until(t *testing.T, what string, met func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	for r.models == nil || !met() {
		u, err := r.sub.Next(ctx)
		if err != nil {
			t.Fatalf("waited in vain until %s; notices %q, models %v, engine %v", what, r.notices, r.models, r.engine)
		}
		r.take(t, u)
	}
}

func (r *reader) take(t *testing.T, u *api.WorkspaceUpdate) {
	t.Helper()
	if u.Seq < r.seq || u.Seq == r.seq && !u.Heartbeat {
		t.Errorf("number %d came after %d", u.Seq, r.seq)
	}
	r.seq = u.Seq
	if u.Reset_ {
		r.models = map[string]*api.ModelSummary{}
	}
	if u.Repository != nil {
		r.repository = u.Repository
	}
	if u.Engine != nil {
		r.engine = u.Engine
	}
	for _, m := range u.Models {
		r.models[m.Name] = m
	}
	for _, name := range u.RemovedModels {
		delete(r.models, name)
	}
	for _, n := range u.Notices {
		r.notices = append(r.notices, n.Text)
		r.level = n.Level
	}
	r.files = append(r.files, u.Files...)
}

func (r *reader) told(part string) bool {
	return strings.Contains(strings.Join(r.notices, "\n"), part)
}

func (r *reader) ready(names ...string) bool {
	for _, name := range names {
		if r.models[name].GetState() != api.ModelState_MODEL_STATE_READY {
			return false
		}
	}
	return true
}

func TestOpenLoadBreakRepair(t *testing.T) {
	t.Setenv(enginetest.Env, "")
	root := repository(t, map[string]string{"add_sub": leaf, "digits": leaf, "pair": pair})
	w := open(t, root, childEngine)
	r := follow(t, w)
	r.until(t, "everything is loaded and known", func() bool {
		return r.ready("add_sub", "digits", "pair") && len(r.models["digits"].UsedBy) == 1 && r.models["pair"].Kind == "Ensemble"
	})
	if r.repository.ModelCount != 3 || !strings.HasPrefix(r.repository.Name, "~/") || r.engine.State != api.Engine_STATE_READY {
		t.Errorf("repository %v, engine %v", r.repository, r.engine)
	}
	if m := r.models["add_sub"]; m.Kind != "Python" || m.ConfigPath != "config.pbtxt" || len(m.Versions) != 1 {
		t.Errorf("add_sub is %v", m)
	}
	config := filepath.Join(root, "digits", "config.pbtxt")
	save(t, config, strings.Replace(leaf, "max_batch_size", "max_batch_sise", 1))
	r.until(t, "the mistake is known", func() bool { return r.models["digits"].Errors > 0 && r.repository.ProblemModels > 0 })
	if _, files := w.Problems("digits"); len(files) != 1 || files[0].Path != "config.pbtxt" || files[0].Diagnostics[0].Line != 2 {
		t.Errorf("problems are %v", files)
	}
	if len(r.files) == 0 || r.files[0].Model != "digits" || r.files[0].Path != "config.pbtxt" || len(r.files[0].Version) != 64 {
		t.Errorf("changed files are %v", r.files)
	}
	save(t, config, leaf)
	r.until(t, "it is mended", func() bool { return r.models["digits"].Errors == 0 && r.repository.Errors == 0 })
	if err := os.RemoveAll(filepath.Join(root, "pair")); err != nil {
		t.Fatal(err)
	}
	r.until(t, "the ensemble is gone", func() bool { return r.models["pair"] == nil && len(r.models["digits"].UsedBy) == 0 })
}

func TestEngineIsKilled(t *testing.T) {
	t.Setenv(enginetest.Env, "")
	w := open(t, repository(t, map[string]string{"add_sub": leaf, "digits": leaf, "pair": pair}), childEngine)
	r := follow(t, w)
	r.until(t, "everything is loaded", func() bool { return r.ready("add_sub", "digits", "pair") && r.told("The engine loaded 3 models") })
	pid := r.engine.Pid
	if err := syscall.Kill(int(pid), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	r.until(t, "it is back", func() bool {
		return r.engine.Restarts == 1 && r.ready("add_sub", "digits", "pair") && r.engine.Pid != pid
	})
	if !r.told("signal: killed. Conch starts it again.") || !r.told("runs again") {
		t.Errorf("told %q", r.notices)
	}
}

// TestStartIsLoading: the engine counts as loading until its models are restored. Until then, the models that
// were loaded before it ended wait; a model that a person unloaded does not.
func TestStartIsLoading(t *testing.T) {
	var say func(enginehost.Update)
	w := open(t, repository(t, map[string]string{"add_sub": leaf, "digits": leaf}), func(_ []string, up func(enginehost.Update)) (workspace.Engine, error) {
		say = up
		return nil, errors.New("the test speaks for the engine")
	})
	r := follow(t, w)
	status := func(s enginehost.State, restarts uint32) {
		say(enginehost.Update{Status: &enginehost.Status{State: s, Restarts: restarts, PID: 7}})
	}
	state := func(name string, s enginepb.State) {
		versions := []*enginepb.Version{{Number: 1, State: s}}
		say(enginehost.Update{Event: &enginepb.Event{Models: []*enginepb.Model{{Name: name, Versions: versions, Backend: "python", Runnable: true}}}})
	}
	is := func(name string, s api.ModelState) bool { return r.models[name].GetState() == s }
	status(enginehost.Ready, 0)
	r.until(t, "the first start is loading", func() bool { return r.engine.State == api.Engine_STATE_READY && r.engine.Loading })
	state("add_sub", enginepb.State_STATE_READY)
	state("digits", enginepb.State_STATE_UNAVAILABLE)
	say(enginehost.Update{Restored: true})
	r.until(t, "it is over", func() bool { return !r.engine.Loading && r.ready("add_sub") })

	status(enginehost.Restarting, 1)
	waiting, unloaded := api.ModelState_MODEL_STATE_WAITING, api.ModelState_MODEL_STATE_UNLOADED
	r.until(t, "add_sub waits", func() bool { return is("add_sub", waiting) && is("digits", unloaded) && !r.engine.Loading })
	status(enginehost.Ready, 1)
	r.until(t, "the second start is loading", func() bool { return r.engine.Loading && is("add_sub", waiting) })
	say(enginehost.Update{Restored: true})
	r.until(t, "nothing waits", func() bool { return !r.engine.Loading && is("add_sub", unloaded) })

	state("add_sub", enginepb.State_STATE_READY)
	status(enginehost.Restarting, 2)
	r.until(t, "it waits again", func() bool { return is("add_sub", waiting) })
	status(enginehost.Stopped, 2)
	r.until(t, "nothing will load it", func() bool { return is("add_sub", unloaded) })
}

// TestFailureIsToldOnceOverARestart: a model that fails again for the same reason when the engine was
// restarted is not told again; one that fails for another reason is.
func TestFailureIsToldOnceOverARestart(t *testing.T) {
	var say func(enginehost.Update)
	w := open(t, repository(t, map[string]string{"add_sub": leaf, "digits": leaf}), func(_ []string, up func(enginehost.Update)) (workspace.Engine, error) {
		say = up
		return nil, errors.New("the test speaks for the engine")
	})
	r := follow(t, w)
	fails := func(name, why string) {
		say(enginehost.Update{Event: &enginepb.Event{
			Models:    []*enginepb.Model{{Name: name, LoadError: why, Backend: "python", Runnable: true}},
			Happening: &enginepb.Happening{Kind: enginepb.Happening_KIND_LOAD_FAILED, Model: name, Reason: why},
		}})
	}
	toldTimes := func(part string) (n int) {
		for _, text := range r.notices {
			if strings.Contains(text, part) {
				n++
			}
		}
		return n
	}
	say(enginehost.Update{Status: &enginehost.Status{State: enginehost.Ready, PID: 7}})
	fails("add_sub", "no file")
	fails("digits", "no memory")
	say(enginehost.Update{Restored: true})
	say(enginehost.Update{Status: &enginehost.Status{State: enginehost.Restarting, Restarts: 1}})
	say(enginehost.Update{Status: &enginehost.Status{State: enginehost.Ready, PID: 8, Restarts: 1}})
	fails("add_sub", "no file")
	fails("digits", "no library")
	say(enginehost.Update{Restored: true})
	fails("add_sub", "no file") // a person tried it
	r.until(t, "all is told", func() bool { return toldTimes("add_sub did not load: no file") >= 2 })
	if once, both, digits := toldTimes("add_sub did not load"), toldTimes("digits did not load"), toldTimes("digits did not load: no library"); once != 2 || both != 2 || digits != 1 {
		t.Errorf("told %q", r.notices)
	}
}

// TestAskedRestartIsNoWarning: an engine that ended by itself and runs again is a warning; one that a person had restarted, such as
// for another build of ONNX Runtime, is none.
func TestAskedRestartIsNoWarning(t *testing.T) {
	var say func(enginehost.Update)
	w := open(t, repository(t, map[string]string{"digits": leaf}), func(_ []string, up func(enginehost.Update)) (workspace.Engine, error) {
		say = up
		return nil, errors.New("the test speaks for the engine")
	})
	r := follow(t, w)
	for asked, level := range map[bool]api.Notice_Level{false: api.Notice_LEVEL_WARNING, true: api.Notice_LEVEL_INFO} {
		r.notices = nil
		say(enginehost.Update{Status: &enginehost.Status{State: enginehost.Restarting, Restarts: 1, Asked: asked, Reason: "why"}})
		say(enginehost.Update{Status: &enginehost.Status{State: enginehost.Ready, Restarts: 1, PID: 8}})
		r.until(t, "it is told", func() bool { return r.told("runs again") })
		if r.level != level {
			t.Errorf("asked for: %t, told as %v", asked, r.level)
		}
	}
}

func TestNoEngine(t *testing.T) {
	w := open(t, repository(t, map[string]string{"digits": leaf}), noEngine)
	r := follow(t, w)
	r.until(t, "it says why", func() bool { return r.engine.State == api.Engine_STATE_STOPPED && r.told("there is no engine") })
	if _, err := w.Client(); !errors.Is(err, enginehost.ErrNotReady) {
		t.Errorf("client says %v", err)
	}
}

func TestMissingFolder(t *testing.T) {
	w := open(t, repository(t, map[string]string{"digits": leaf}), noEngine)
	missing := filepath.Join(t.TempDir(), "gone")
	if err := w.Open(t.Context(), []string{missing}); err == nil {
		t.Error("a missing folder was opened")
	}
	r := follow(t, w)
	r.until(t, "it says why", func() bool { return strings.Contains(r.repository.Trouble, missing) })
	if len(r.models) != 0 {
		t.Errorf("models are %v", r.models)
	}
	if len(r.repository.Wanted) != 1 || r.repository.Wanted[0] != missing {
		t.Errorf("what can be tried again is %q", r.repository.Wanted)
	}
}

// TestPollingIsSaid: where files cannot be watched, the window says so and why, and changes are still
// seen.
func TestPollingIsSaid(t *testing.T) {
	root := repository(t, map[string]string{"digits": leaf})
	history, err := store.Open(t.Context(), store.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	w := workspace.New(workspace.Options{Store: history, Recovery: recoveryIn(t, t.TempDir()), StartEngine: noEngine, Repository: repo.Options{Watch: watch.Options{Mode: watch.Poll}}})
	t.Cleanup(func() {
		_ = w.Close()
		_ = history.Close()
	})
	if err := w.Open(t.Context(), []string{root}); err != nil {
		t.Fatal(err)
	}
	r := follow(t, w)
	r.until(t, "it is said", func() bool { return r.repository.WatchMode == "polling" && r.repository.WatchNote != "" })
	save(t, filepath.Join(root, "digits", "config.pbtxt"), leaf+"}")
	r.until(t, "the change is seen", func() bool { return r.models["digits"].GetErrors() > 0 && len(r.files) > 0 })
}

// TestOddFiles: pipes, links and folders that cannot be read are reported, and block nothing.
func TestOddFiles(t *testing.T) {
	root := repository(t, map[string]string{"digits": leaf, "other": leaf})
	w := open(t, root, noEngine)
	r := follow(t, w)
	r.until(t, "all are checked", func() bool {
		return r.models["digits"].GetKind() == "Python" && r.models["other"].GetKind() == "Python"
	})
	dir := filepath.Join(root, "digits")
	if err := syscall.Mkfifo(filepath.Join(dir, "labels.txt"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nowhere", filepath.Join(dir, "notes.txt")); err != nil {
		t.Fatal(err)
	}
	r.until(t, "the link is a problem", func() bool { return r.models["digits"].GetWarnings() > 0 })
	_, problems := w.Problems("digits")
	if len(problems) == 0 || problems[0].Path != "notes.txt" || problems[0].Diagnostics[0].Code != rule.DanglingLink.ID {
		t.Errorf("problems are %v", problems)
	}
	save(t, filepath.Join(root, "other", "config.pbtxt"), leaf+"}")
	r.until(t, "others are checked", func() bool { return r.models["other"].GetErrors() > 0 })
}

func TestSlowReaderGetsTheSum(t *testing.T) {
	root := repository(t, map[string]string{"digits": leaf})
	w := open(t, root, noEngine)
	slow, fast := follow(t, w), follow(t, w)
	slow.until(t, "it begins", func() bool { return true })
	for i := range 5 {
		name := fmt.Sprintf("m%d", i)
		if err := os.MkdirAll(filepath.Join(root, name, "1"), 0o755); err != nil {
			t.Fatal(err)
		}
		save(t, filepath.Join(root, name, "config.pbtxt"), leaf)
		fast.until(t, name+" is there", func() bool { return fast.models[name].GetKind() == "Python" })
	}
	before := len(slow.models)
	u, err := slow.sub.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	slow.take(t, u)
	if before+5 < len(slow.models) || slow.models["m4"] == nil || slow.models["m0"] == nil || u.Reset_ {
		t.Errorf("one update brought %d models", len(u.Models))
	}
}

// thousands makes models that share their files: making as many separate ones takes longer than what
// is tested.
func thousands(t *testing.T, n int) string {
	t.Helper()
	shared, root := filepath.Join(repository(t, map[string]string{"one": leaf}), "one"), t.TempDir()
	for i := range n {
		dir := filepath.Join(root, fmt.Sprintf("model_%04d", i))
		err := errors.Join(os.Mkdir(dir, 0o755), os.Link(filepath.Join(shared, "config.pbtxt"), filepath.Join(dir, "config.pbtxt")),
			os.Symlink(filepath.Join(shared, "1"), filepath.Join(dir, "1")))
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestThousandsOfModels(t *testing.T) {
	root := thousands(t, 5000)
	begun := time.Now()
	w := open(t, root, noEngine)
	r := follow(t, w)
	r.until(t, "all are listed", func() bool { return len(r.models) == 5000 })
	t.Logf("listed after %v", time.Since(begun))
	r.until(t, "all are checked", func() bool {
		for _, m := range r.models {
			if m.Kind == "" {
				return false
			}
		}
		return true
	})
	t.Logf("checked after %v", time.Since(begun))
}
