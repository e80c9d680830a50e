package control_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/engine/backend"
	"conch/engine/control"
	"conch/engine/control/controltest"
	"conch/engine/infer"
	"conch/engine/model"
)

var discard = slog.New(slog.DiscardHandler)

func TestNoneLoadsAllAndIgnoresChanges(t *testing.T) {
	b := start(t, control.Options{Mode: control.None}, func(b *bench) {
		b.add(t, "a", "one")
		b.add(t, "b", "one")
	})
	b.wantIndex(t, "a/1 READY, b/1 READY")
	b.dir.Write(t, "a/1/model.fake", "two")
	b.dir.Look()
	b.wantAnswer(t, "a", "one")
	err := b.Load(t.Context(), "a", control.Request{})
	if infer.CodeOf(err) != infer.Unavailable || err.Error() != "explicit model load / unload is not allowed if polling is enabled" {
		t.Errorf("load = %v", err)
	}
	if !b.Ready() {
		t.Error("not ready")
	}
}

func TestPollFollowsTheFiles(t *testing.T) {
	b := start(t, control.Options{Mode: control.Poll}, func(b *bench) { b.add(t, "a", "one") })
	b.wantAnswer(t, "a", "one")

	b.dir.Write(t, "a/1/model.fake", "two")
	b.dir.Look()
	b.until(t, "two", func() bool { s, _ := b.ask("a", infer.Latest); return s == "two" })

	b.add(t, "b", "new")
	b.dir.Look()
	b.untilIndex(t, "a/1 READY, b/1 READY")

	b.dir.Write(t, "b/2/model.fake", "second")
	b.dir.Look()
	b.untilIndex(t, "a/1 READY, b/1 UNAVAILABLE (unloaded), b/2 READY")
	b.wantAnswer(t, "b", "second")

	b.dir.Remove(t, "b/2")
	b.dir.Look()
	b.untilIndex(t, "a/1 READY, b/1 READY, b/2 UNAVAILABLE (unloaded)")

	b.dir.Remove(t, "a")
	b.dir.Look()
	b.untilIndex(t, "b/1 READY, b/2 UNAVAILABLE (unloaded)")
	b.until(t, "a gone", func() bool { _, there := b.Status("a"); return !there })
	b.wantError(t, "a", "Request for unknown model: 'a' has no available versions")
}

func TestReloadThatFailsKeepsTheOld(t *testing.T) {
	for name, breakIt := range map[string]func(b *bench){
		"model file": func(b *bench) { b.dir.Write(t, "a/1/model.fake", "broken: no good") },
		"config":     func(b *bench) { b.dir.Write(t, "a/config.pbtxt", "name: \"a\"\nbackend: \"fake\" max_batch_size: -1") },
		"syntax":     func(b *bench) { b.dir.Write(t, "a/config.pbtxt", "name: ") },
		"no version": func(b *bench) { b.dir.Remove(t, "a/1") },
		"backend":    func(b *bench) { b.dir.Write(t, "a/config.pbtxt", strings.Replace(config("a"), "fake", "unheard", 1)) },
	} {
		t.Run(name, func(t *testing.T) {
			b := start(t, control.Options{Mode: control.Explicit, Reload: control.OnSave, LoadModels: []string{"*"}},
				func(b *bench) { b.add(t, "a", "one") })
			breakIt(b)
			b.dir.Look()
			b.until(t, "the failure", func() bool { s, _ := b.Status("a"); return s.LoadError != "" })
			b.wantAnswer(t, "a", "one")
			b.wantIndex(t, "a/1 READY")
			s, _ := b.Status("a")
			if !s.Versions[0].NewestFailed || !b.Ready() {
				t.Errorf("status = %+v, ready = %v; want the newest marked as failed and the server ready", s, b.Ready())
			}
			b.add(t, "a", "mended")
			b.dir.Look()
			b.until(t, "mended", func() bool { s, _ := b.ask("a", infer.Latest); return s == "mended" })
			if s, _ := b.Status("a"); s.LoadError != "" || s.Versions[0].NewestFailed {
				t.Errorf("status = %+v, want no failure", s)
			}
		})
	}
}

func TestExplicitLoadAndUnload(t *testing.T) {
	b := start(t, control.Options{Mode: control.Explicit}, func(b *bench) {
		b.add(t, "a", "one")
		b.add(t, "b", "one")
	})
	b.wantIndex(t, "a, b")
	if !b.Ready() {
		t.Error("an engine that nobody asked for anything is not ready")
	}
	b.wantError(t, "a", "Request for unknown model: 'a' is not found")
	b.load(t, "a")
	b.load(t, "a")
	if n := b.fake.Loads.Load(); n != 1 {
		t.Errorf("%d loads, want 1: an unchanged model is not loaded again", n)
	}
	if err := b.Load(t.Context(), "a", control.Request{Force: true}); err != nil || b.fake.Loads.Load() != 2 {
		t.Errorf("forced load: %v, %d loads; want 2", err, b.fake.Loads.Load())
	}
	b.dir.Write(t, "a/config.pbtxt", "# only a comment\n"+config("a"))
	b.load(t, "a")
	if n := b.fake.Loads.Load(); n != 2 {
		t.Errorf("%d loads, want 2: a comment changes nothing", n)
	}
	b.dir.Write(t, "a/1/model.fake", "two")
	b.dir.Look()
	b.wantAnswer(t, "a", "one")
	b.load(t, "a")
	b.wantAnswer(t, "a", "two")
	if err := b.Unload("a", false); err != nil {
		t.Fatal(err)
	}
	b.wantError(t, "a", "Request for unknown model: 'a' has no available versions")
	b.untilIndex(t, "a/1 UNAVAILABLE (unloaded), b")
	if _, err := b.ask("a", 1); infer.CodeOf(err) != infer.Unavailable || err.Error() != "Request for unknown model: 'a' version 1 is not at ready state" {
		t.Errorf("request for a version that was unloaded: %v", err)
	}
	if err := b.Unload("nobody", true); err != nil || !b.Ready() {
		t.Errorf("unload of an unknown name: %v, ready: %v", err, b.Ready())
	}
}

func TestLoadFailures(t *testing.T) {
	b := start(t, control.Options{Mode: control.Explicit}, func(b *bench) {
		b.add(t, "broken", "broken: no good")
		b.add(t, "syntax", "")
		b.dir.Write(t, "syntax/config.pbtxt", "nonsense")
		b.add(t, "renamed", "")
		b.dir.Write(t, "renamed/config.pbtxt", config("other"))
		b.dir.Write(t, "versionless/config.pbtxt", config("versionless"))
		b.add(t, "twice", "")
		if err := os.MkdirAll(filepath.Join(b.dir.Roots[1], "twice", "1"), 0o755); err != nil {
			t.Fatal(err)
		}
		b.add(t, "gpu", "")
		b.dir.Write(t, "gpu/config.pbtxt", config("gpu", "instance_group [{ kind: KIND_GPU }]"))
	})
	b.loader.StrictGPU.Store(true)
	for name, want := range map[string]string{
		"":            "Invalid argument: Model name cannot be empty. Please enter a valid name to deploy.",
		"..":          "Invalid argument: invalid model name '..', model name must not contain path traversal characters",
		"nobody":      "Internal: failed to load 'nobody', failed to poll from model repository",
		"syntax":      "Internal: failed to load 'syntax', failed to poll from model repository",
		"renamed":     "Internal: failed to load 'renamed', failed to poll from model repository",
		"twice":       "Internal: failed to load 'twice', failed to poll from model repository",
		"broken":      "Invalid argument: load failed for model 'broken': version 1 is at UNAVAILABLE state: Internal: broken: no good;\n",
		"versionless": "Invalid argument: load failed for model 'versionless': at least one version must be available under the version policy of model 'versionless'\n",
		"gpu": "Invalid argument: load failed for model 'gpu': version 1 is at UNAVAILABLE state: Invalid argument: " +
			"instance group gpu_0 of model gpu has kind KIND_GPU but no GPUs are available;\n",
	} {
		err := b.Load(t.Context(), name, control.Request{})
		if err == nil {
			t.Errorf("load of %q succeeded", name)
			continue
		}
		if got := infer.CodeOf(err).String() + ": " + err.Error(); got != want {
			t.Errorf("load of %q = %q\nwant %q", name, got, want)
		}
	}
	b.wantIndex(t, "broken/1 UNAVAILABLE (Internal: broken: no good), gpu/1 UNAVAILABLE (Invalid argument: instance group gpu_0 of model gpu has kind KIND_GPU but no GPUs are available), "+
		"renamed, syntax, twice UNAVAILABLE (model appears in two or more repositories)")
	if b.Ready() {
		t.Error("ready although loads failed")
	}
	for name, want := range map[string]string{
		"syntax":  "line 1, column 1",
		"renamed": "unexpected directory name 'renamed' for model 'other'",
		"twice":   "not unique across all model repositories",
	} {
		if s, _ := b.Status(name); !strings.Contains(s.LoadError, want) {
			t.Errorf("people are told %q of %s, want %q in it", s.LoadError, name, want)
		}
	}
}

func TestVersionPolicies(t *testing.T) {
	for policy, want := range map[string]string{
		"": "a/9 READY",
		"version_policy { latest { num_versions: 2 } }":    "a/3 READY, a/9 READY",
		"version_policy { all {} }":                        "a/1 READY, a/3 READY, a/9 READY",
		"version_policy {}":                                "a/1 READY, a/3 READY, a/9 READY",
		"version_policy { specific { versions: [1, 7] } }": "a/1 READY",
	} {
		b := start(t, control.Options{Mode: control.None}, func(b *bench) {
			b.add(t, "a", "one")
			b.dir.Write(t, "a/3/model.fake", "three")
			b.dir.Write(t, "a/9/model.fake", "nine")
			b.dir.Write(t, "a/config.pbtxt", config("a", policy))
		})
		b.wantIndex(t, want)
	}
}

func TestPolicyChangeKeepsWhatServes(t *testing.T) {
	b := start(t, control.Options{Mode: control.Explicit, LoadModels: []string{"a"}}, func(b *bench) {
		b.add(t, "a", "one")
		b.dir.Write(t, "a/2/model.fake", "two")
	})
	b.dir.Write(t, "a/config.pbtxt", config("a", "version_policy { all {} }"))
	b.load(t, "a")
	b.wantIndex(t, "a/1 READY, a/2 READY")
	if n := b.fake.Loads.Load(); n != 2 {
		t.Errorf("%d loads, want 2: version 2 was not to be loaded again", n)
	}
	b.dir.Write(t, "a/2/model.fake", "broken")
	b.dir.Write(t, "a/3/model.fake", "three")
	if err := b.Load(t.Context(), "a", control.Request{}); err == nil {
		t.Error("load succeeded")
	}
	b.wantIndex(t, "a/1 READY, a/2 READY, a/3 UNAVAILABLE (unloaded)")
	b.wantAnswer(t, "a", "two")
}

func TestOverrideLastsUntilFilesChange(t *testing.T) {
	b := start(t, control.Options{Mode: control.Explicit}, func(b *bench) { b.add(t, "a", "one") })
	override := `{"backend":"fake","default_model_filename":"model.fake","max_batch_size":2,` +
		`"input":[{"name":"IN","data_type":"TYPE_FP32","dims":[2]}],"output":[{"name":"OUT","data_type":"TYPE_FP32","dims":[2]}]}`
	batch := func() int32 {
		cfg, err := b.Config("a")
		if err != nil {
			t.Fatal(err)
		}
		return cfg.MaxBatchSize
	}
	if err := b.Load(t.Context(), "a", control.Request{Override: override}); err != nil {
		t.Fatal(err)
	}
	b.load(t, "a")
	if batch() != 2 || !fromClient(b) {
		t.Error("a plain load of unchanged files dropped the override")
	}
	if err := b.Load(t.Context(), "a", control.Request{Force: true}); err != nil {
		t.Fatal(err)
	}
	if batch() != 4 || fromClient(b) {
		t.Error("a forced load did not take the file's config")
	}
	if err := b.Load(t.Context(), "a", control.Request{Override: override}); err != nil {
		t.Fatal(err)
	}
	b.dir.Write(t, "a/1/model.fake", "two")
	b.load(t, "a")
	if batch() != 4 || fromClient(b) {
		t.Error("a changed file did not drop the override")
	}
	err := b.Load(t.Context(), "a", control.Request{Override: "{"})
	if err == nil || err.Error() != "failed to load 'a', failed to poll from model repository" {
		t.Errorf("load with broken override = %v", err)
	}
}

func fromClient(b *bench) bool {
	s, _ := b.Status("a")
	return s.FromClient
}

func TestOneModelsFailureTouchesNoOther(t *testing.T) {
	hold := make(chan struct{})
	b := start(t, control.Options{Mode: control.Explicit}, func(b *bench) {
		b.add(t, "slow", "one")
		b.add(t, "fast", "one")
		b.fake.OnLoad = func(ctx context.Context, spec backend.Spec) error {
			if spec.Name == "slow" {
				<-hold
				return errors.New("after all this time")
			}
			return nil
		}
	})
	ended := make(chan error)
	go func() { ended <- b.Load(t.Context(), "slow", control.Request{}) }()
	b.until(t, "slow loads", func() bool { return b.index() == "fast, slow/1 LOADING" })
	if b.Ready() {
		t.Error("ready while a model loads")
	}
	b.load(t, "fast")
	b.wantAnswer(t, "fast", "one")
	b.wantError(t, "slow", "Request for unknown model: 'slow' has no available versions")
	close(hold)
	if err := <-ended; err == nil {
		t.Error("slow loaded")
	}
	b.wantIndex(t, "fast/1 READY, slow/1 UNAVAILABLE (Internal: after all this time)")
}

// A client may call before the start is over, and plans by the answer that it gets.
func TestIndexBeforeRun(t *testing.T) {
	dir := controltest.New(t, 2)
	dir.Write(t, "a/1/model.fake", "one")
	dir.Look()
	m := control.New(control.Options{Models: dir, Mode: control.Explicit, Loader: &model.Loader{Log: discard}})
	if rows := m.Index(false); len(rows) != 1 || rows[0].Name != "a" {
		t.Errorf("index before Run = %+v", rows)
	}
}
