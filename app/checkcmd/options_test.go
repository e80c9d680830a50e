package checkcmd_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/app/checkcmd"
	"conch/app/language"
	"conch/configedit/check/checktest"
	"conch/configedit/release"
)

// lay writes files below a new folder.
func lay(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for path, content := range files {
		at := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func judged(t *testing.T, opts checkcmd.Options, paths ...string) (int, string) {
	t.Helper()
	var out bytes.Buffer
	status := checkcmd.Run(t.Context(), paths, opts, &out)
	return status, out.String()
}

const model = "class TritonPythonModel:\n    pass\n"

func TestOneModelAndOneFile(t *testing.T) {
	dir := lay(t, map[string]string{
		"a/config.pbtxt": "backend: \"python\"\nmax_batch_size: -1\n", "a/1/model.py": model,
		"b/config.pbtxt": "backend: \"python\"\nname: \"c\"\n", "b/1/model.py": model,
	})
	if status, out := judged(t, checkcmd.Options{}, dir+"/a"); status != 1 || !strings.Contains(out, "[G6]") || strings.Contains(out, "[L5]") {
		t.Errorf("a model's folder: %d\n%s", status, out)
	}
	if status, out := judged(t, checkcmd.Options{}, dir+"/b/config.pbtxt"); status != 0 {
		t.Errorf("a file by itself: %d\n%s", status, out)
	}
	if status, out := judged(t, checkcmd.Options{}, dir+"/a/config.pbtxt"); status != 1 || !strings.Contains(out, "[G6]") {
		t.Errorf("a wrong file by itself: %d\n%s", status, out)
	}
}

func TestStrictAndVariant(t *testing.T) {
	dir := lay(t, map[string]string{
		"m/1/model.onnx": "", "m/configs/gpu.pbtxt": "backend: \"python\"\nmax_batch_size: -1\n", "m/1/model.py": model,
		"m/config.pbtxt": "backend: \"python\"\n",
		"n/1/model.py":   model,
	})
	if status, out := judged(t, checkcmd.Options{}, dir); status != 0 || !strings.Contains(out, "warning") || !strings.Contains(out, "--model-config-name=gpu") {
		t.Errorf("%d\n%s", status, out)
	}
	if status, out := judged(t, checkcmd.Options{Flags: language.Flags{Variant: "gpu"}}, dir); status != 1 || !strings.Contains(out, "configs/gpu.pbtxt:2:17") {
		t.Errorf("%d\n%s", status, out)
	}
	if status, out := judged(t, checkcmd.Options{Flags: language.Flags{Strict: true}}, dir); status != 1 || !strings.Contains(out, "[CFG1]") {
		t.Errorf("%d\n%s", status, out)
	}
}

func TestMend(t *testing.T) {
	dir := lay(t, map[string]string{
		"m/config.pbtxt": "name: \"other\"\nbackend: \"python\"\nmax_batchsize: 8\ninput { name: \"x\" data_type: FP32 dims: [ 0 ] }\n",
		"e/config.pbtxt": "platform: \"ensemble\"\ninput { name: \"x\" data_type: TYPE_FP32 dims: [ -1 ] }\noutput { name: \"y\" data_type: TYPE_FP32 dims: [ -1 ] }\n" +
			"ensemble_scheduling { step { model_name: \"n\" model_version: -1 input_map { key: \"x\" value: \"x\" } output_map { key: \"y\" value: \"y\" } } }\n",
		"n/config.pbtxt": "backend: \"python\"\ninput { name: \"x\" data_type: TYPE_FP32 dims: [ -1 ] }\noutput { name: \"y\" data_type: TYPE_FP32 dims: [ -1 ] }\n",
		"m/1/model.py":   model, "n/1/model.py": model,
	})
	for _, step := range []struct {
		mend       checkcmd.Mending
		status     int
		name, dims string
	}{{checkcmd.MendSafe, 1, "other", "0"}, {checkcmd.MendSuggestions, 0, "m", "-1"}} {
		status, out := judged(t, checkcmd.Options{Mend: step.mend}, dir)
		if status != step.status || strings.Contains(out, "create 1/ [") != (step.mend == checkcmd.MendSuggestions) {
			t.Errorf("%d\n%s", status, out)
		}
		got, err := os.ReadFile(dir + "/m/config.pbtxt")
		want := fmt.Sprintf("name: %q\nbackend: \"python\"\nmax_batch_size: 8\ninput { name: \"x\" data_type: TYPE_FP32 dims: [ %s ] }\n", step.name, step.dims)
		if err != nil || string(got) != want {
			t.Errorf("%q, %v", got, err)
		}
	}
}

// TestMendWritesProgram: the program that a Python model lacks is written as a suggestion, and nothing over one that is there.
func TestMendWritesProgram(t *testing.T) {
	dir := lay(t, map[string]string{"m/config.pbtxt": "backend: \"python\"\ninput { name: \"x\" data_type: TYPE_FP32 dims: [ 2 ] }\noutput { name: \"y\" data_type: TYPE_FP32 dims: [ 2 ] }\n"})
	program := filepath.Join(dir, "m", "1", "model.py")
	if status, out := judged(t, checkcmd.Options{Mend: checkcmd.MendSafe}, dir); status != 1 || !strings.Contains(out, "suggestion: write 1/model.py, which answers with its input") {
		t.Errorf("%d\n%s", status, out)
	}
	if _, err := os.Stat(program); err == nil {
		t.Error("a suggestion was applied unseen")
	}
	if status, out := judged(t, checkcmd.Options{Mend: checkcmd.MendSuggestions}, dir); status != 0 {
		t.Errorf("%d\n%s", status, out)
	}
	if text, err := os.ReadFile(program); err != nil || !strings.Contains(string(text), "class TritonPythonModel") {
		t.Errorf("%s, %v", text, err)
	}
}

// TestMendStaysInTheModel: a program is not written through a link that leads out of the model's folder. The other repairs are made.
func TestMendStaysInTheModel(t *testing.T) {
	tensors := "input { name: \"x\" data_type: TYPE_FP32 dims: [ 2 ] }\noutput { name: \"y\" data_type: TYPE_FP32 dims: [ 2 ] }\n"
	dir := lay(t, map[string]string{
		"m/config.pbtxt": "backend: \"python\"\ndefault_model_filename: \"sitecustomize.py\"\n" + tensors,
		"n/config.pbtxt": "backend: \"python\"\n" + tensors,
	})
	elsewhere := t.TempDir()
	if err := os.Symlink(elsewhere, filepath.Join(dir, "m", "1")); err != nil {
		t.Fatal(err)
	}
	_, out := judged(t, checkcmd.Options{Mend: checkcmd.MendSuggestions}, dir)
	if left, err := os.ReadDir(elsewhere); err != nil || len(left) > 0 || !strings.Contains(out, "not mended: make ") {
		t.Errorf("%v, %v\n%s", left, err, out)
	}
	if _, err := os.Stat(filepath.Join(dir, "n", "1", "model.py")); err != nil {
		t.Error(err)
	}
}

func TestAdvice(t *testing.T) {
	dir := lay(t, map[string]string{"m/config.pbtxt": "backend: \"python\"\nmax_batch_size: 8\n", "m/1/model.py": model})
	if status, out := judged(t, checkcmd.Options{}, dir); status != 0 || strings.Contains(out, "ADV1") {
		t.Errorf("%d\n%s", status, out)
	}
	if status, out := judged(t, checkcmd.Options{Advice: true}, dir); status != 0 || !strings.Contains(out, "advice") || !strings.Contains(out, "[ADV1]") {
		t.Errorf("%d\n%s", status, out)
	}
}

func TestTemplate(t *testing.T) {
	dir := lay(t, map[string]string{"m/config.pbtxt": "backend: \"python\"\nmax_batch_size: ${batch}\nname: \"${name}\"\n", "m/1/model.py": model})
	if status, out := judged(t, checkcmd.Options{}, dir); status != 1 || strings.Count(out, "[TPL]") != 1 || !strings.Contains(out, "Triton says first: 2:17:") {
		t.Errorf("%d\n%s", status, out)
	}
	dir = lay(t, map[string]string{"m/config.pbtxt": "backend: \"python\"\nparameters { key: \"a\" value { string_value: \"${x}\" } }\n", "m/1/model.py": model})
	if status, out := judged(t, checkcmd.Options{}, dir); status != 0 || strings.Count(out, "[TPL]") != 1 {
		t.Errorf("only in strings: %d\n%s", status, out)
	}
}

// TestSARIF checks the answer against what the schema of SARIF 2.1.0 requires.
func TestSARIF(t *testing.T) {
	_, out := judged(t, checkcmd.Options{Format: checkcmd.FormatSARIF}, root+"/examples/broken")
	var log struct {
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct{ Rules []struct{ ID string } }
			}
			Results []struct {
				RuleID    string
				RuleIndex int
				Level     string
				Message   struct{ Text string }
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine, StartColumn, EndLine, EndColumn int }
					}
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &log); err != nil {
		t.Fatal(err)
	}
	if log.Version != "2.1.0" || len(log.Runs) != 1 || len(log.Runs[0].Results) < 10 {
		t.Fatalf("%.500s", out)
	}
	run := log.Runs[0]
	for _, r := range run.Results {
		at := r.Locations[0].PhysicalLocation
		wrong := r.Message.Text == "" || at.ArtifactLocation.URI == "" || at.Region.StartLine < 1 || at.Region.StartColumn < 1 ||
			at.Region.EndLine < at.Region.StartLine || at.Region.EndColumn < 1
		if wrong || run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID || !strings.Contains(" error warning note ", " "+r.Level+" ") {
			t.Errorf("%+v", r)
		}
	}
}

func TestGitHub(t *testing.T) {
	dir := lay(t, map[string]string{"m/config.pbtxt": "backend: \"python\"\nmax_batch_size: -1\n", "m/1/model.py": model})
	_, out := judged(t, checkcmd.Options{Format: checkcmd.FormatGitHub}, dir)
	want := "line=2,endLine=2,col=17,endColumn=19::max_batch_size is -1; it must be 0 (no batching) or the largest batch%0ATriton: 'max_batch_size' must be"
	if !strings.HasPrefix(out, "::error title=G6,file=") || !strings.Contains(out, want) {
		t.Error(out)
	}
}

func TestConfig(t *testing.T) {
	var text, data, file bytes.Buffer
	if err := checkcmd.Config(root+"/examples/repository/add_sub", checkcmd.Options{}, &text); err != nil || !strings.Contains(text.String(), "# Filled in:") {
		t.Errorf("%v\n%s", err, &text)
	}
	if err := checkcmd.Config(root+"/examples/repository/add_sub", checkcmd.Options{Format: checkcmd.FormatJSON}, &data); err != nil || !json.Valid(data.Bytes()) {
		t.Errorf("%v\n%s", err, &data)
	}
	err := checkcmd.Config(root+"/examples/repository/add_sub/1/model.onnx", checkcmd.Options{}, &file)
	if err != nil || !strings.Contains(file.String(), "backend: \"onnxruntime\"\nmax_batch_size: 4\n") {
		t.Errorf("%v\n%s", err, &file)
	}
	var back bytes.Buffer
	dir := lay(t, map[string]string{"config.json": data.String()})
	if err := checkcmd.Config(dir+"/config.json", checkcmd.Options{}, &back); err != nil || !strings.HasPrefix(text.String(), back.String()) {
		t.Errorf("%v\n%s\n%s", err, &back, &text)
	}
	models := lay(t, map[string]string{
		"model.pt": string(checktest.TorchArchive(t, "forward (image: Tensor) -> Tensor\n")), "broken.pt": "x", "model.plan": string(checktest.Plan("plan 10.3.0.26")),
		"saved_model.pb": string(checktest.SavedModel(t, "graph serve\nsignature serving_default x\ninput image 1 [-1, 64]\noutput scores 1 [-1, 10]\n")),
	})
	for name, want := range map[string]string{
		"model.pt": "name: \"image\"", "saved_model.pb": "max_batch_size: 4", "model.plan": "backend: \"tensorrt\"",
		"broken.pt": "as TorchScript: this is not a TorchScript archive",
	} {
		var out bytes.Buffer
		if err := checkcmd.Config(models+"/"+name, checkcmd.Options{}, &out); err != nil {
			fmt.Fprint(&out, err)
		}
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s: %s", name, &out)
		}
	}
	steps := lay(t, map[string]string{
		"e/config.pbtxt": "platform: \"ensemble\"\nmodel_transaction_policy { decoupled: false }\nensemble_scheduling { step { model_name: \"s\" } }\n", "e/1/.keep": "",
		"s/config.pbtxt": "backend: \"python\"\nmodel_transaction_policy { decoupled: true }\n", "s/1/model.py": model,
	})
	var ensemble bytes.Buffer
	if _ = checkcmd.Config(steps+"/e", checkcmd.Options{}, &ensemble); !strings.Contains(ensemble.String(), "decoupled: true") {
		t.Errorf("an ensemble of a decoupled model: %s", &ensemble)
	}
	if err := checkcmd.Config(t.TempDir(), checkcmd.Options{}, &file); err == nil {
		t.Error("an empty folder is no model")
	}
}

// TestConfigOfTemplate: placeholders in strings are printed as they are, and a missing value is not
// invented.
func TestConfigOfTemplate(t *testing.T) {
	dir := lay(t, map[string]string{
		"m/config.pbtxt": "backend: \"python\"\nmax_batch_size: ${batch}\n" +
			"parameters { key: \"dir\" value { string_value: \"${tokenizer_dir}\" } }\n" +
			"output { name: \"y\" data_type: TYPE_FP32 dims: [ 1, #size ] }\n",
		"m/1/model.py": model,
	})
	var out bytes.Buffer
	err := checkcmd.Config(dir+"/m", checkcmd.Options{}, &out)
	if err == nil || !strings.Contains(err.Error(), "this is a template: batch, tokenizer_dir and size must be filled in") {
		t.Error(err)
	}
	for _, want := range []string{`string_value: "${tokenizer_dir}"`, "#   line 2: ${batch}\n", "#   line 4: #size\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	if strings.Contains(out.String(), "vvv") {
		t.Errorf("invented letters:\n%s", &out)
	}
}

// TestEmptyFolderCounts: Triton takes an empty folder for a model, and does not start. It is one of those that are counted.
func TestEmptyFolderCounts(t *testing.T) {
	dir := lay(t, map[string]string{"good/config.pbtxt": identityConfig, "good/1/.keep": ""})
	if err := os.Mkdir(filepath.Join(dir, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	if status, out := judged(t, checkcmd.Options{}, dir); status != 1 || !strings.Contains(out, "2 models: 1 error, 0 warnings; Triton would refuse 1\n") {
		t.Errorf("exit status %d\n%s", status, out)
	}
}

// TestOneMistakeCountsOnce: an ensemble that uses a wrong model is refused too, but is not itself
// wrong.
func TestOneMistakeCountsOnce(t *testing.T) {
	step := func(uses string) string {
		return "platform: \"ensemble\"\ninput { name: \"A\" data_type: TYPE_FP32 dims: 1 }\noutput { name: \"B\" data_type: TYPE_FP32 dims: 1 }\n" +
			"ensemble_scheduling { step { model_name: \"" + uses + "\" model_version: -1 input_map { key: \"A\" value: \"A\" } output_map { key: \"B\" value: \"B\" } } }\n"
	}
	dir := lay(t, map[string]string{
		"wrong/config.pbtxt": identityConfig + "max_batch_size: -1\n", "wrong/1/.keep": "",
		"uses/config.pbtxt": step("wrong"), "uses/1/.keep": "",
		"above/config.pbtxt": step("uses"), "above/1/.keep": "",
	})
	status, out := judged(t, checkcmd.Options{}, dir)
	if status != 1 || !strings.Contains(out, "3 models: 1 error, 0 warnings; Triton would refuse 3") {
		t.Errorf("exit status %d\n%s", status, out)
	}
	_, out = judged(t, checkcmd.Options{Format: checkcmd.FormatJSON}, dir)
	var answer struct{ Summary struct{ Refused, Errors int } }
	if err := json.Unmarshal([]byte(out), &answer); err != nil || answer.Summary.Errors != 1 || answer.Summary.Refused != 3 {
		t.Errorf("%v, %+v", err, answer.Summary)
	}
	if _, out = judged(t, checkcmd.Options{}, dir+"/uses"); !strings.Contains(out, "1 model: 1 error") { // the cause is not shown
		t.Error(out)
	}
}

// TestRelease: what the chosen release of Triton lacks is reported with the release's name. Without a
// choice nothing is reported.
func TestRelease(t *testing.T) {
	dir := lay(t, map[string]string{"m/config.pbtxt": identityConfig + "model_metrics { }\n", "m/1/.keep": ""})
	for name, want := range map[string]int{"24.10": 1, "24.11": 0, "": 0} {
		for _, path := range []string{dir, dir + "/m/config.pbtxt"} {
			status, out := judged(t, checkcmd.Options{Flags: language.Flags{Release: release.Find(name)}}, path)
			if status != want || want == 1 && !strings.Contains(out, "Triton 24.10 has no field model_metrics") {
				t.Errorf("%q: exit status %d\n%s", name, status, out)
			}
		}
	}
}

// TestExampleOfRelease: digits_prepare needs a newer ONNX Runtime than 24.10's.
func TestExampleOfRelease(t *testing.T) {
	model := root + "/examples/repository/digits_prepare"
	if _, out := judged(t, checkcmd.Options{Flags: language.Flags{Release: release.Find("24.10")}}, model); !strings.Contains(out, "Could not find an implementation for ArgMax(13) node with name 'rows_first_i'") {
		t.Errorf("24.10:\n%s", out)
	}
	if _, out := judged(t, checkcmd.Options{Flags: language.Flags{Release: release.Newest()}}, model); !strings.Contains(out, "nothing wrong") {
		t.Errorf("newest:\n%s", out)
	}
}
