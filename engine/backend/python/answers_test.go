package python_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/proto"

	"conch/configedit/check"
	"conch/configedit/folder"
	"conch/configedit/modelconfig"
	"conch/configedit/modelfolder"
	"conch/engine/backend"
	"conch/engine/backend/backendtest"
	"conch/engine/backend/python"
	"conch/engine/completed"
)

// answering is a program whose answer comes from a module beside it.
const answering = `
class TritonPythonModel:
    @staticmethod
    def auto_complete_config(config):
        import shapes
        if shapes.FAILS:
            raise ValueError("it fails")
        config.set_max_batch_size(8)
        config.set_dynamic_batching()
        config.set_model_transaction_policy({"decoupled": True})
        config.add_input({"name": "IN", "data_type": "TYPE_FP32", "dims": shapes.DIMS})
        config.add_output({"name": "OUT", "data_type": "TYPE_FP32", "dims": shapes.DIMS})
        config.as_dict()["parameters"] = {"lost": {"string_value": "x"}}
        return config
    def execute(self, requests): pass
`

// found looks for the answer to a model as a check does: by its files alone.
func found(s *completed.Store, spec backend.Spec) *completed.Answer {
	shown := modelfolder.Folder(folder.Dir(spec.ModelDir), spec.ModelDir)
	shown.Versions = []int64{1}
	return s.Find(completed.Key(spec.Config, check.Program(&check.Model{Name: spec.Name, Effective: spec.Config, Folder: shown})))
}

func save(t *testing.T, spec backend.Spec, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(spec.ModelDir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// What auto_complete_config answered is known from then on, until something changes that it was made from.
func TestAnswersAreKept(t *testing.T) {
	answers := completed.Open(t.TempDir(), nil)
	b := python.New(python.Options{Interpreter: interpreter(t), Dir: t.TempDir(), Answers: answers})
	t.Cleanup(func() { _ = b.Close() })
	spec := specOf(t, answering, config(backendtest.Shape{}))
	spec.Config.DefaultModelFilename = "model.py"
	spec.Config.InstanceGroup = []*modelconfig.ModelInstanceGroup{{Count: 1, Kind: modelconfig.ModelInstanceGroup_KIND_CPU}}
	save(t, spec, "shapes.py", "DIMS, FAILS = [3], False\n")
	if found(answers, spec) != nil {
		t.Fatal("an answer is known before a run")
	}
	told := ""
	spec.Progress = func(text string) { told = text }
	cfg, err := b.Complete(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	if told != "starting Python to complete the config" {
		t.Errorf("people were told %q", told)
	}
	if len(cfg.Parameters) > 0 {
		t.Errorf("more was taken over than a backend may complete: %v", cfg.Parameters)
	}
	known := found(answers, spec)
	if known == nil || known.Config.MaxBatchSize != 8 || !proto.Equal(known.Config.Input[0], cfg.Input[0]) ||
		!proto.Equal(known.Config.Output[0], cfg.Output[0]) || known.Config.GetDynamicBatching() == nil || !known.Config.ModelTransactionPolicy.Decoupled {
		t.Fatalf("known is %v; the config is %v", known, cfg)
	}
	spec.Config.InstanceGroup[0].Count = 4
	if !known.Same(found(answers, spec)) {
		t.Error("with other instance groups it is not known")
	}
	for name, text := range map[string]string{"1/model.py": answering + "\n", "shapes.py": "DIMS, FAILS = [4], False\n"} {
		before, err := os.ReadFile(filepath.Join(spec.ModelDir, name))
		if err != nil {
			t.Fatal(err)
		}
		save(t, spec, name, text)
		if got := found(answers, spec); got != nil {
			t.Errorf("after a change of %s it is still taken for true: %v", name, got)
		}
		save(t, spec, name, string(before))
		if !known.Same(found(answers, spec)) {
			t.Errorf("with the old %s it is not known again", name)
		}
	}
}

// A run that fails is not an answer, and takes the old one back. A load that is given up says nothing.
func TestAnswersOfFailedRuns(t *testing.T) {
	answers := completed.Open(t.TempDir(), nil)
	b := python.New(python.Options{Interpreter: interpreter(t), Dir: t.TempDir(), Answers: answers})
	t.Cleanup(func() { _ = b.Close() })
	// The module lies where no check can see it: it changes without the model's files.
	outside := t.TempDir()
	spec := specOf(t, "import sys\nsys.path.insert(0, "+`'`+outside+`'`+")\n"+answering, config(backendtest.Shape{}))
	spec.Config.DefaultModelFilename = "model.py"
	set := func(fails string) {
		if err := os.WriteFile(filepath.Join(outside, "shapes.py"), []byte("DIMS, FAILS = [3], "+fails+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	set("False")
	if _, err := b.Complete(t.Context(), spec); err != nil || found(answers, spec) == nil {
		t.Fatalf("the answer is not known: %v", err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := b.Complete(ended, spec); err == nil || found(answers, spec) == nil {
		t.Errorf("after a load that was given up, with %v, the answer is not known", err)
	}
	set("True")
	if _, err := b.Complete(t.Context(), spec); err == nil || found(answers, spec) != nil {
		t.Errorf("after a run that failed, with %v, the old answer is still taken for true", err)
	}
}

// An answer that replaces the scheduler of the config is dropped as a whole, as Triton does.
func TestAnswerReplacesTheScheduler(t *testing.T) {
	const program = `
class TritonPythonModel:
    @staticmethod
    def auto_complete_config(config):
        config.add_input({"name": "IN", "data_type": "TYPE_FP32", "dims": [1]})
        config.as_dict().pop("dynamic_batching")
        config.as_dict()["sequence_batching"] = {}
        return config
    def execute(self, requests): pass
`
	cfg := config(backendtest.Shape{MaxBatch: 4})
	cfg.SchedulingChoice = &modelconfig.ModelConfig_DynamicBatching{DynamicBatching: &modelconfig.ModelDynamicBatching{}}
	got, err := newBackend(t).Complete(t.Context(), specOf(t, program, cfg))
	if err != nil || len(got.Input) > 0 || got.GetDynamicBatching() == nil {
		t.Errorf("got %v, %v", got, err)
	}
}
