package model_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/engine/backend"
	"conch/engine/backend/fake"
	"conch/engine/infer"
	"conch/engine/model"
)

const fakeModel = "backend: \"fake\" default_model_filename: \"model.fake\"\n" +
	"input [{ name: \"IN\" data_type: TYPE_FP32 dims: [2] }]\noutput [{ name: \"OUT\" data_type: TYPE_FP32 dims: [2] }]\n"

// folder writes a model's files and gives its source.
func folder(t *testing.T, config string, files map[string]string) model.Source {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "m")
	if files == nil {
		files = map[string]string{}
	}
	files["config.pbtxt"] = config
	if files["1/model.fake"] == "" {
		files["1/model.fake"] = "fine"
	}
	for path, text := range files {
		full := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return model.Source{Name: "m", Dir: dir, ConfigPath: filepath.Join(dir, "config.pbtxt"), ConfigText: []byte(config)}
}

func TestConfigsThatDoNotLoad(t *testing.T) {
	const label = "output [{ name: \"O\" data_type: TYPE_FP32 dims: [2] label_filename: \"%\" }]"
	for config, want := range map[string]string{
		"backend: \"fake\" max_batch_size: -1":                                                       "Invalid argument: 'max_batch_size' must be non-negative value for m",
		"platform: \"rare\" ":                                                                        "Invalid argument: unexpected platform type 'rare' for m",
		"backend: \"onnxruntime\" platform: \"rare\"":                                                "Invalid argument: unexpected 'platform' and 'backend' pair, got:rare, onnxruntime",
		"platform: \"ensemble\"":                                                                     "Invalid argument: ensemble scheduling must be set for ensemble m whose platform is ensemble",
		"platform: \"ensemble\" backend: \"fake\" ensemble_scheduling {}":                            "Invalid argument: Ensemble model 'm' must have platform type 'ensemble' and empty backend type",
		"platform: \"ensemble\" ensemble_scheduling {}":                                              "Invalid argument: must specify 'step' for ensemble 'm'",
		"name: \"n\" backend: \"fake\"":                                                              "Invalid argument: unexpected directory name 'm' for model 'n', directory name must equal model name",
		"backend: \"nosuch\"":                                                                        "Invalid argument: unable to find backend library for backend 'nosuch', try specifying runtime on the model configuration.",
		"backend: \"fake\" dynamic_batching { preferred_batch_size: [3] }":                           "Invalid argument: dynamic batching preferred size must be <= max batch size for m",
		fakeModel + "input [{ name: \"\" }]":                                                         "Invalid argument: model input must specify 'name' for m",
		fakeModel + "input [{ name: \"X\" }]":                                                        "Invalid argument: model input 'X' must specify 'data_type' for m",
		fakeModel + "input [{ name: \"X\" data_type: TYPE_FP32 }]":                                   "Invalid argument: model input 'X' must specify 'dims' for m",
		fakeModel + "input [{ name: \"X\" data_type: TYPE_FP32 dims: [0] }]":                         "Invalid argument: model input 'X' dimension must be integer >= 1, or -1 to indicate a variable-size dimension for m",
		fakeModel + "output [{ name: \"X\" data_type: TYPE_FP32 dims: [4] reshape { shape: [3] } }]": "Invalid argument: model output 'X' has different size for dims and reshape for m",
		fakeModel + strings.Replace(label, "%", "../secret", 1):                                      "Unsupported: label file path '../secret' for output 'O' in model 'm' is outside model directory",
		fakeModel + "instance_group [{ kind: KIND_MODEL gpus: [0] }]":                                "Invalid argument: instance group m_0 of model m has kind KIND_MODEL but specifies one or more GPUs",
	} {
		_, err := load(&fake.Backend{}, folder(t, config, nil))
		if err == nil {
			t.Errorf("%s\nloaded; want %s", config, want)
			continue
		}
		if got := infer.CodeOf(err).String() + ": " + err.Error(); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", config, got, want)
		}
	}
}

func TestMissingLabelFile(t *testing.T) {
	src := folder(t, fakeModel+"output [{ name: \"O\" data_type: TYPE_FP32 dims: [2] label_filename: \"none.txt\" }]", nil)
	_, err := load(&fake.Backend{}, src)
	want := "failed to open text file for read " + filepath.Join(src.Dir, "none.txt") + ": No such file or directory"
	if err == nil || err.Error() != want {
		t.Errorf("error = %v, want %s", err, want)
	}
}

func TestFailedLoadLeavesNothing(t *testing.T) {
	b := &fake.Backend{}
	b.OnExecute = func(_ context.Context, _ backend.Spec, batch *backend.Batch) {
		batch.FailAll(infer.Errorf(infer.Internal, "boom"))
	}
	_, err := load(b, folder(t, fakeModel+"instance_group [{ count: 3 kind: KIND_CPU }]"+warmup("zero_data: true"), nil))
	if err == nil || err.Error() != "failed to run warmup sample 'w': boom; " {
		t.Errorf("error = %v", err)
	}
	if b.Models.Load() != 0 || b.Instances.Load() != 0 {
		t.Errorf("%d models and %d instances are left", b.Models.Load(), b.Instances.Load())
	}
}

func warmup(data string) string {
	return "\nmodel_warmup [{ name: \"w\" batch_size: 1 count: 2 inputs { key: \"IN\" value { data_type: TYPE_FP32 dims: [2] " + data + " } } }]"
}

func TestWarmUp(t *testing.T) {
	for data, want := range map[string]string{
		"zero_data: true":            "",
		"random_data: true":          "",
		"input_data_file: \"good\"":  "",
		"":                           "[request id: <id_unknown>] warmup setting expects input 'IN' to have input_data_type set",
		"input_data_file: \"short\"": "[request id: <id_unknown>] warmup setting expects 8 bytes, but the data provided from shortonly has 4 bytes",
		"zero_data: true dims: [-1]": "warmup setting expects all variable-size dimensions are specified for input 'IN'",
	} {
		src := folder(t, fakeModel+"instance_group [{ count: 2 kind: KIND_CPU }]"+warmup(data),
			map[string]string{"warmup/good": "12345678 and more", "warmup/short": "1234"})
		v, err := load(&fake.Backend{}, src)
		switch {
		case err != nil && err.Error() != want:
			t.Errorf("%q: error = %v, want %q", data, err, want)
		case err == nil && want != "":
			t.Errorf("%q loaded", data)
		case err == nil:
			if s := v.Counters().Snapshot(); s.Executions != 4 || s.Success != 4 {
				t.Errorf("%q: %d executions and %d successes counted, want 4: two runs on each of two instances", data, s.Executions, s.Success)
			} else if s.RequestNs < s.InferNs || s.InferNs == 0 || s.Latency.Total() != 4 {
				t.Errorf("%q: the runs took %d ns, %d of them in the model; want them timed as requests are", data, s.RequestNs, s.InferNs)
			}
			if s := v.Counters().Users(); s.Executions != 0 || s.Success != 0 {
				t.Errorf("%q: users are said to have sent %d requests", data, s.Success)
			}
			if err := v.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// The bytes of a warm-up sample and of its batch are limited: 8 GB are too many.
func TestWarmUpOfManyBytes(t *testing.T) {
	variable := strings.ReplaceAll(fakeModel, "dims: [2]", "dims: [-1]")
	for config, want := range map[string]string{
		variable + strings.Replace(warmup("zero_data: true"), "dims: [2]", "dims: [2000000000]", 1):                                                                  "warmup sample for input 'IN' is too large: shape [2000000000]",
		variable + "max_batch_size: 8 " + strings.NewReplacer("dims: [2]", "dims: [100000000]", "batch_size: 1", "batch_size: 8").Replace(warmup("zero_data: true")): "failed to run warmup sample 'w': its batch of 8 takes more than 2147483648 bytes; ",
	} {
		if _, err := load(&fake.Backend{}, folder(t, config, nil)); err == nil || err.Error() != want {
			t.Errorf("error = %v, want %s", err, want)
		}
	}
}

func TestPanicInABackendIsAnError(t *testing.T) {
	b := &fake.Backend{OnExecute: func(context.Context, backend.Spec, *backend.Batch) { panic("no tea") }}
	v, err := load(b, folder(t, fakeModel, nil))
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	for range 3 {
		err = v.Infer(t.Context(), parseRequest(t, `{"Inputs":[{"Name":"IN","Type":"FP32","Shape":[2],"Bytes":8}]}`), nil)
		if err == nil || err.Error() != "model instance m_0 failed: no tea" {
			t.Errorf("error = %v", err)
		}
	}
	if s := v.Counters().Snapshot(); s.Failed() != 3 || s.Executions != 3 || s.Success != 0 {
		t.Errorf("counted %d failures, %d executions, %d successes; want 3, 3, 0", s.Failed(), s.Executions, s.Success)
	}
}

// Triton has no templates: a placeholder in place of a value is an error, and in quotes it is a string like any other.
func TestTemplatesAreTextAsItStands(t *testing.T) {
	_, err := load(&fake.Backend{}, folder(t, fakeModel+"max_batch_size: ${BATCH}\n", nil))
	if err == nil || !strings.Contains(err.Error(), "failed to read text proto") || !strings.Contains(err.Error(), "the file is a template: fill in") {
		t.Errorf("error = %v", err)
	}
	v, err := load(&fake.Backend{}, folder(t, fakeModel+"parameters { key: \"k\" value { string_value: \"${VALUE}\" } }\n", nil))
	if err != nil {
		t.Fatal(err)
	}
	if got := v.Config.Parameters["k"].StringValue; got != "${VALUE}" {
		t.Errorf("the parameter is %q", got)
	}
	if err := v.Close(); err != nil {
		t.Error(err)
	}
}

// TestBackendCompletes: a backend of any name completes a config, unless the server is started with
// --disable-auto-complete-config.
func TestBackendCompletes(t *testing.T) {
	const tells = fake.Tells + `max_batch_size: 4 input { name: "IN" data_type: TYPE_FP32 dims: 2 } output { name: "OUT" data_type: TYPE_FP32 dims: 2 }`
	src := folder(t, "backend: \"other\" default_model_filename: \"model.fake\"\n", map[string]string{"1/model.fake": tells})
	v, err := load(&fake.Backend{As: "other"}, src)
	if err != nil {
		t.Fatal(err)
	}
	if v.Config.MaxBatchSize != 4 || len(v.Config.Input) != 1 || v.Config.Input[0].Name != "IN" || len(v.Config.Output) != 1 {
		t.Errorf("the config was not completed: %v", v.Config)
	}
	_ = v.Close()
	b := &fake.Backend{As: "other"}
	strict := &model.Loader{Backends: map[string]backend.Backend{"other": b}, Log: slog.New(slog.DiscardHandler), NoAutoComplete: true}
	definition, err := strict.Define(src)
	if err != nil {
		t.Fatal(err)
	}
	v, err = strict.Load(t.Context(), definition, model.VersionDir{Number: 1, Dir: filepath.Join(src.Dir, "1")}, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	if len(v.Config.Input) > 0 || v.Config.MaxBatchSize != 0 {
		t.Errorf("--disable-auto-complete-config: the config was completed: %v", v.Config)
	}
	_ = v.Close()
}

// An error in a group has Triton's code too, which clients read before the sentence (docs/triton/validation.md, "Instance groups").
func TestCodeOfAKindThatDoesNotExist(t *testing.T) {
	for _, kind := range []string{"9", "-1"} {
		l := &model.Loader{Backends: map[string]backend.Backend{fake.Name: &fake.Backend{}}, Log: slog.New(slog.DiscardHandler)}
		_, err := loadWith(t, l, fakeModel+"instance_group [{ kind: "+kind+" }]")
		const want = "instance group m_0 of model m has unexpected kind KIND_AUTO"
		if infer.CodeOf(err) != infer.Internal || err == nil || err.Error() != want {
			t.Errorf("kind %s: error = %v, %v, want %v, %s", kind, infer.CodeOf(err), err, infer.Internal, want)
		}
	}
}
