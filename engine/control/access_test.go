package control_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"conch/engine/backend"
	"conch/engine/backend/fake"
	"conch/engine/control"
	"conch/engine/infer"
)

// overriding returns a load's config with something added.
func overriding(extra string) control.Request {
	return control.Request{Override: strings.TrimSuffix(given, "}") + extra + "}"}
}

// A request's config may not make the server open a library, or a file outside of the model's folder.
func TestOverridesNameNoFilesElsewhere(t *testing.T) {
	for _, external := range []bool{false, true} {
		b := start(t, control.Options{Mode: control.Explicit}, func(b *bench) { b.add(t, "a", "one") })
		b.loader.ExternalPaths = external
		for extra, field := range map[string]string{
			`,"model_operations":{"op_library_filename":["/tmp/evil.so"]}`:                                                                                         "model_operations.op_library_filename",
			`,"model_operations":{"op_library_filename":["1/model.fake"]}`:                                                                                         "model_operations.op_library_filename",
			`,"parameters":{"TRITON_BATCH_STRATEGY_PATH":{"string_value":"/etc/passwd"}}`:                                                                          `parameters["TRITON_BATCH_STRATEGY_PATH"]`,
			`,"optimization":{"execution_accelerators":{"gpu_execution_accelerator":[{"name":"tensorrt","parameters":{"trt_extra_plugin_lib_paths":"evil.so"}}]}}`: `execution_accelerators.parameters["trt_extra_plugin_lib_paths"]`,
			`,"default_model_filename":"../../b/1/model.fake"`:                                                                                                     "default_model_filename",
			`,"model_warmup":[{"inputs":{"IN":{"input_data_file":"../../secret","dims":[2]}}}]`:                                                                    "model_warmup.inputs.input_data_file",
			`,"sequence_batching":{"state":[{"initial_state":[{"data_file":"../../../../secret"}]}]}`:                                                              "sequence_batching.state.initial_state.data_file",
		} {
			for _, files := range []map[string][]byte{nil, files("1/model.fake")} {
				r := overriding(extra)
				r.Files = files
				err := b.Load(t.Context(), "a", r)
				refused := err != nil && strings.Contains(err.Error(), "its "+field+" is '") && strings.Contains(err.Error(), "--allow-external-paths")
				if refused == external {
					t.Errorf("%s: %v", extra, err)
				}
			}
		}
		if external {
			continue
		}
		b.wantIndex(t, "a") // nothing was tried
		if err := b.Load(t.Context(), "a", overriding(`,"parameters":{"x":{"string_value":"/etc/passwd"}}`)); err != nil {
			t.Errorf("an override that names no file: %v", err)
		}
	}
}

// What a config leaves out chooses a backend too, and that decides what the rest of it opens.
func TestOverridesWithoutABackendNameNoFilesElsewhere(t *testing.T) {
	const tensors = `"input":[{"name":"IN","data_type":"TYPE_FP32","dims":[2]}],"output":[{"name":"OUT","data_type":"TYPE_FP32","dims":[2]}]`
	for _, external := range []bool{false, true} {
		b := start(t, control.Options{Mode: control.Explicit}, func(b *bench) { b.add(t, "a", "one") })
		b.load(t, "a")
		b.loader.ExternalPaths = external
		for config, field := range map[string]string{
			`"default_model_filename":"model.xml","parameters":{"CPU_EXTENSION_PATH":{"string_value":"/tmp/evil.so"}}`:        `parameters["CPU_EXTENSION_PATH"]`,
			`"platform":"pytorch_libtorch","runtime":"model.py","default_model_filename":"other.py"`:                          `default_model_filename`,
			`"platform":"tensorflow_graphdef","parameters":{"TF_INIT_OPS_FILE":{"string_value":"../../b/1/operations.json"}}`: `parameters["TF_INIT_OPS_FILE"]`,
			`"backend":"fastertransformer","parameters":{"model_checkpoint_path":{"string_value":"neighbour/1/t5"}}`:          `parameters["model_checkpoint_path"]`,
		} {
			err := b.Load(t.Context(), "a", control.Request{Override: "{" + tensors + "," + config + "}"})
			refused := err != nil && strings.Contains(err.Error(), "its "+field+" is '") && strings.Contains(err.Error(), "--allow-external-paths")
			if refused == external {
				t.Errorf("%s: %v", config, err)
			}
		}
		b.wantAnswer(t, "a", "one")
	}
}

// With the flag a client brings a plan of TensorRT, and any other model that can run code: what becomes of it is the backend's matter.
func TestFilesThatCanRunCode(t *testing.T) {
	b := start(t, control.Options{Mode: control.Explicit}, nil)
	b.loader.Backends["tensorrt"] = &fake.Backend{As: "tensorrt"}
	const plan = `{"platform":"tensorrt_plan","max_batch_size":2,"instance_group":[{"kind":"KIND_CPU"}],` +
		`"input":[{"name":"IN","data_type":"TYPE_FP32","dims":[2]}],"output":[{"name":"OUT","data_type":"TYPE_FP32","dims":[2]}]}`
	for _, external := range []bool{false, true} {
		b.loader.ExternalPaths = external
		err := b.Load(t.Context(), "p", control.Request{Override: plan, Files: files("1/model.plan")})
		if !external && (err == nil || !strings.Contains(err.Error(), "may not bring a program, and this model has the model file 'model.plan'")) {
			t.Errorf("without the flag: %v", err)
		}
		if external && err != nil {
			t.Errorf("with the flag: %v", err)
		}
	}
	b.wantAnswer(t, "p", "from the client")
}

// A load request whose config or files are refused changes nothing about the model, whether it serves or not: only its client is told.
func TestRefusedRequestsLeaveNoTrace(t *testing.T) {
	b := start(t, control.Options{Mode: control.Explicit, Ways: control.Ways{Trust: "Press the button."}}, func(b *bench) {
		b.add(t, "a", "one")
		b.dir.Write(t, "a/config.pbtxt", config("a", `model_operations { op_library_filename: "ops.so" }`))
		b.add(t, "serves", "one")
	})
	b.SetAccess(control.Access{Overrides: true})
	b.load(t, "serves")
	if err := b.Load(t.Context(), "a", control.Request{}); err == nil {
		t.Fatal("it is loaded, and not trusted")
	}
	python := strings.Replace(strings.TrimSuffix(given, "}"), "fake", "python", 1) + "}"
	b.loader.Backends["python"] = &fake.Backend{As: "python"}
	tell := func() string {
		var told []string
		for _, name := range []string{"a", "serves", "new"} {
			s, known := b.Status(name)
			told = append(told, fmt.Sprintf("%s %v %q %v %s %v %v", name, known, s.LoadError, s.WaitsForTrust, s.Backend, s.Versions, s.Changed))
		}
		return strings.Join(told, "\n")
	}
	before := tell()
	for name, r := range map[string]control.Request{
		"a library":       overriding(`,"model_operations":{"op_library_filename":["/tmp/evil.so"]}`),
		"a program":       {Override: python},
		"a brought one":   {Override: python, Files: files("1/model.py")},
		"a file outside":  overriding(`,"default_model_filename":"../../b/1/model.fake"`),
		"a file's upload": {Override: strings.TrimSuffix(given, "}") + `,"default_model_filename":"../../b/1/model.fake"}`, Files: files("1/model.fake")},
	} {
		for _, model := range []string{"a", "serves", "new"} {
			if model == "new" && r.Files == nil {
				continue // there is no such model
			}
			if err := b.Load(t.Context(), model, r); err == nil {
				t.Errorf("%s for %s is not refused", name, model)
			}
			if now := tell(); now != before {
				t.Errorf("after %s for %s:\n%s\nbefore:\n%s", name, model, now, before)
			}
		}
	}
	b.wantAnswer(t, "serves", "one")
	b.SetAccess(control.Access{Code: true})
	b.until(t, "the load of what waited", func() bool { _, err := b.ask("a", -1); return err == nil })
}

// In the workbench, clients may load and unload models, but may not send a config or files until
// the user permits it.
func TestOverridesArePermitted(t *testing.T) {
	b := start(t, control.Options{Mode: control.Explicit, Ways: control.Ways{Override: "Open the settings."}}, func(b *bench) { b.add(t, "a", "one") })
	b.load(t, "a")
	for _, r := range []control.Request{overriding(""), {Override: given, Files: files("1/model.fake")}, {Files: files("1/model.fake")}} {
		err := b.Load(t.Context(), "a", r)
		if want := "failed to load 'a': this server takes no config and no files from a load request. Open the settings."; err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	b.wantAnswer(t, "a", "one")
	b.SetAccess(control.Access{Overrides: true})
	if err := b.Load(t.Context(), "a", overriding("")); err != nil {
		t.Error(err)
	}
	b.SetAccess(control.Access{})
	if err := b.Load(t.Context(), "a", overriding("")); err == nil {
		t.Error("it is still permitted")
	}
}

// Models that run code of their own wait until their repository is trusted; all others serve.
func TestUntrustedCodeWaits(t *testing.T) {
	const untrusted = "model 'code' runs code of its own, the library 'ops.so' (model_operations.op_library_filename), and this repository is not trusted. Press the button."
	b := start(t, control.Options{Mode: control.Explicit, LoadModels: []string{"*"}, Ways: control.Ways{Trust: "Press the button."}}, func(b *bench) {
		b.add(t, "plain", "data")
		b.dir.Write(t, "code/config.pbtxt", config("code", `model_operations { op_library_filename: "ops.so" }`))
		b.dir.Write(t, "code/1/model.fake", "program")
		b.addEnsemble(t, "ensemble", "plain", "code")
	})
	loads := func() int64 { return b.fake.Models.Load() }
	b.wantAnswer(t, "plain", "data")
	if s, _ := b.Status("code"); s.LoadError != untrusted || loads() != 1 {
		t.Errorf("%d models loaded; load error %q", loads(), s.LoadError)
	}
	for name, waits := range map[string]bool{"code": true, "ensemble": true, "plain": false} {
		if s, _ := b.Status(name); s.WaitsForTrust != waits {
			t.Errorf("%s: waits for trust: %v", name, s.WaitsForTrust)
		}
	}
	if err := b.Load(t.Context(), "code", control.Request{Force: true}); err == nil || !strings.Contains(err.Error(), untrusted) {
		t.Errorf("loaded by request: %v", err)
	}
	b.SetAccess(control.Access{Code: true})
	serve := func(name string) func() bool {
		return func() bool { _, err := b.ask(name, -1); return err == nil }
	}
	b.until(t, "the load of what waited", serve("ensemble"))
	b.wantAnswer(t, "code", "program")
	if s, _ := b.Status("ensemble"); s.WaitsForTrust {
		t.Error("it waits for trust after it was trusted")
	}
	b.SetAccess(control.Access{})
	b.until(t, "the end of code that is trusted no more", func() bool { s, _ := b.Status("code"); return s.LoadError == untrusted })
	if serve("code")() || serve("ensemble")() {
		t.Error("it still serves")
	}
	b.wantAnswer(t, "plain", "data")
	b.SetAccess(control.Access{Code: true})
	b.until(t, "its coming back", serve("ensemble"))
	if err := b.Unload("code", false); err != nil {
		t.Fatal(err)
	}
	b.SetAccess(control.Access{})
	b.SetAccess(control.Access{Code: true})
	if serve("code")() {
		t.Error("a model that was unloaded came back")
	}
}

// A save that adds code to a serving model is not loaded until the code is trusted.
func TestUntrustedCodeDoesNotReplaceWhatServes(t *testing.T) {
	b := start(t, control.Options{Mode: control.Explicit, Reload: control.OnSave, LoadModels: []string{"*"}, Ways: control.Ways{Trust: "-"}}, func(b *bench) { b.add(t, "a", "one") })
	b.dir.Write(t, "a/1/model.fake", "two")
	b.dir.Write(t, "a/config.pbtxt", config("a", `model_operations { op_library_filename: "ops.so" }`))
	b.dir.Look()
	b.until(t, "the refusal", func() bool { s, _ := b.Status("a"); return s.LoadError != "" })
	b.wantAnswer(t, "a", "one")
	b.SetAccess(control.Access{Code: true})
	b.until(t, "the load", func() bool { got, err := b.ask("a", -1); return err == nil && got == "two" })
	if s, _ := b.Status("a"); s.LoadError != "" {
		t.Error(fmt.Errorf("load error %s", s.LoadError))
	}
}

// withCode adds a model with versions 1 and 2 that runs code of its own.
func (b *bench) withCode(t *testing.T, name string) {
	t.Helper()
	b.dir.Write(t, name+"/config.pbtxt", config(name, `model_operations { op_library_filename: "ops.so" }`, `version_policy { all {} }`))
	b.dir.Write(t, name+"/1/model.fake", "program")
	b.dir.Write(t, name+"/2/model.fake", "program")
}

// When trust is withdrawn while a model loads, the model does not serve, and waiting loads do not begin.
func TestTrustTakenBackDuringALoad(t *testing.T) {
	begun, open := make(chan string, 4), make(chan struct{})
	b := start(t, control.Options{Mode: control.Explicit, LoadModels: []string{"*"}, LoadThreads: 1, Ways: control.Ways{Trust: "-"}}, func(b *bench) {
		b.withCode(t, "code")
		b.fake.OnLoad = func(context.Context, backend.Spec) error {
			begun <- ""
			<-open
			return nil
		}
	})
	untrusted := func() string { s, _ := b.Status("code"); return s.LoadError }
	refusal := untrusted()
	b.SetAccess(control.Access{Code: true})
	<-begun
	b.SetAccess(control.Access{})
	open <- struct{}{}
	b.until(t, "the refusal", func() bool { s, _ := b.Status("code"); return s.LoadError == refusal && s.Phase == "" })
	if got, err := b.ask("code", infer.Latest); err == nil {
		t.Errorf("not trusted, and serves %q", got)
	}
	if len(begun) > 0 {
		t.Error("another version was loaded after trust had been taken back")
	}
	close(open)
	b.SetAccess(control.Access{Code: true})
	b.until(t, "the load", func() bool { _, err := b.ask("code", infer.Latest); return err == nil })
}

// The same when all loads have begun: the newest version is ready and about to serve.
func TestTrustTakenBackBeforeTheSwap(t *testing.T) {
	begun, open := make(chan string), make(chan struct{})
	b := start(t, control.Options{Mode: control.Explicit, Reload: control.OnSave, LoadModels: []string{"*"}, Ways: control.Ways{Trust: "-"}}, func(b *bench) {
		b.add(t, "a", "one")
	})
	b.SetAccess(control.Access{Code: true})
	b.fake.OnLoad = func(context.Context, backend.Spec) error {
		begun <- ""
		<-open
		return nil
	}
	b.dir.Write(t, "a/1/model.fake", "two")
	b.dir.Write(t, "a/config.pbtxt", config("a", `model_operations { op_library_filename: "ops.so" }`))
	b.dir.Look()
	<-begun
	b.SetAccess(control.Access{}) // the serving version runs no code of its own, and goes on
	close(open)
	b.until(t, "the refusal", func() bool { s, _ := b.Status("a"); return strings.Contains(s.LoadError, "not trusted") })
	b.wantAnswer(t, "a", "one")
}
