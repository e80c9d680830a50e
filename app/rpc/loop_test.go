//go:build unix

package rpc_test

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"connectrpc.com/connect"

	"conch/app/api"
	"conch/app/apptest"
)

func TestOpenEditLoadTry(t *testing.T) {
	w := apptest.OpenExamples(t)
	s := w.Until(t, "all are ready and it is told", func(s *apptest.Snapshot) bool {
		return apptest.AllReady(s) && slices.Contains(s.Notices, "The engine loaded 4 models")
	})
	if s.Repository.ModelCount != 4 || s.Engine.Pid == 0 || s.Engine.HttpAddress == "" {
		t.Errorf("repository %v, engine %v", s.Repository, s.Engine)
	}
	t.Run("infer", func(t *testing.T) { tryInfer(t, w) })
	t.Run("refused requests", func(t *testing.T) { tryMistakes(t, w) })
	t.Run("ensemble", func(t *testing.T) { tryEnsemble(t, w) })
	t.Run("snippets", func(t *testing.T) { trySnippets(t, w) })
	t.Run("metrics", func(t *testing.T) { apptest.AwaitMetrics(t, w); lookAtSummaries(t, w); lookAtMemory(t, w) })
	t.Run("break and repair", func(t *testing.T) { breakAndRepair(t, w) })
	t.Run("load and unload", func(t *testing.T) { loadAndUnload(t, w) })
	t.Run("kill", func(t *testing.T) { killEngine(t, w) })
}

func tryInfer(t *testing.T, w *apptest.Window) {
	out := apptest.Call(t, w.Try.Infer, apptest.Sum())
	if !out.Ok || len(out.Outputs) != 2 || out.Outputs[0].Raw[0] != 2 || out.Outputs[1].Raw[0] != 0 {
		t.Fatalf("answer is %v", out)
	}
	if out.Timings.TotalNs == 0 || out.Timings.RoundTripNs < out.Timings.TotalNs {
		t.Errorf("timings are %v", out.Timings)
	}
	history := apptest.Call(t, w.Try.ListHistory, &api.ListHistoryRequest{Model: "add_sub"})
	if len(history.Entries) != 1 || history.Entries[0].Id != out.HistoryId || !strings.HasPrefix(history.Entries[0].Summary, "INPUT0 INT32 [1, 16], INPUT1 INT32 [1, 16] -> ") {
		t.Errorf("history is %v", history.Entries)
	}
	entry := apptest.Call(t, w.Try.GetHistory, &api.GetHistoryRequest{Id: out.HistoryId})
	if entry.Request.Inputs[0].GetJson() == "" || len(entry.Response.Outputs) != 2 {
		t.Errorf("entry is %v", entry)
	}
}

func tryMistakes(t *testing.T, w *apptest.Window) {
	for name, test := range map[string]struct {
		change func(r *api.InferRequest)
		want   string
	}{
		"values":  {func(r *api.InferRequest) { r.Inputs[0].Data = &api.InferInput_Json{Json: "[1.5]"} }, `input "INPUT0": element 1 is 1.5: INT32 takes whole numbers`},
		"count":   {func(r *api.InferRequest) { r.Inputs[1].Data = &api.InferInput_Json{Json: "[1]"} }, `input "INPUT1": the shape [1, 16] takes 16 elements, 1 were given`},
		"name":    {func(r *api.InferRequest) { r.Inputs[0].Name = "INPUT9" }, "INPUT"},
		"missing": {func(r *api.InferRequest) { r.Inputs = r.Inputs[:1] }, "expected 2 inputs but got 1 inputs for model 'add_sub'"},
		"huge":    {func(r *api.InferRequest) { r.Inputs[0].Shape = []int64{1 << 60, 1 << 60} }, "has more than"},
		"bytes":   {func(r *api.InferRequest) { r.Inputs[0].Data = &api.InferInput_Raw{Raw: []byte{1, 2, 3}} }, "INPUT0"},
	} {
		r := apptest.Sum()
		test.change(r)
		out := apptest.Call(t, w.Try.Infer, r)
		if out.Ok || !strings.Contains(out.Error, test.want) || out.ErrorCode != "INVALID_ARGUMENT" {
			t.Errorf("%s: %v %s %q", name, out.Ok, out.ErrorCode, out.Error)
		}
	}
	apptest.Refused(t, w.Try.Infer, &api.InferRequest{Model: "nobody"}, connect.CodeNotFound)
}

func tryEnsemble(t *testing.T, w *apptest.Window) {
	m := apptest.Call(t, w.Models.GetModel, &api.GetModelRequest{Name: "read_digit"})
	if !m.Summary.Ensemble || !m.FromEngine || len(m.Inputs) != 1 {
		t.Fatalf("read_digit is %v", m)
	}
	in := m.Inputs[0]
	shape, n := []int64{}, int64(1)
	for _, dim := range in.Shape {
		if dim < 0 {
			dim = 1
		}
		shape, n = append(shape, dim), n*dim
	}
	zeros := "[" + strings.TrimSuffix(strings.Repeat("0,", int(n)), ",") + "]"
	out := apptest.Call(t, w.Try.Infer, &api.InferRequest{Model: "read_digit", Inputs: []*api.InferInput{{Name: in.Name, Datatype: in.Datatype, Shape: shape, Data: &api.InferInput_Json{Json: zeros}}}})
	if !out.Ok || len(out.Steps) != 2 {
		t.Fatalf("answer is %v", out)
	}
	labelled := false
	for _, o := range out.Outputs {
		labelled = labelled || len(o.Labels) == 10
	}
	digits := apptest.Call(t, w.Models.GetModel, &api.GetModelRequest{Name: "digits"})
	for _, o := range digits.Outputs {
		labelled = labelled || len(o.Labels) == 10
	}
	if !labelled {
		t.Error("no output has its labels")
	}
}

func trySnippets(t *testing.T, w *apptest.Window) {
	for _, r := range []*api.InferRequest{apptest.Sum(), large()} {
		text := apptest.Call(t, w.Try.Snippet, &api.SnippetRequest{Language: "curl", Request: r}).Text
		out, err := exec.Command("bash", "-c", "set -o pipefail\n"+text).Output()
		if err != nil || !strings.Contains(string(out), `"model_name":"`+r.Model+`"`) {
			t.Errorf("curl gives %.300s, %v; from\n%.600s", out, err, text)
		}
		grpc := apptest.Call(t, w.Try.Snippet, &api.SnippetRequest{Language: "grpcurl", Request: r}).Text
		if !strings.Contains(grpc, "inference.GRPCInferenceService/ModelInfer") {
			t.Errorf("grpcurl is\n%s", grpc)
		}
		python := apptest.Call(t, w.Try.Snippet, &api.SnippetRequest{Language: "python", Request: r}).Text
		runPython(t, python)
	}
	apptest.Refused(t, w.Try.Snippet, &api.SnippetRequest{Language: "cobol", Request: apptest.Sum()}, connect.CodeInvalidArgument)
}

// large is a request that is too large to be written out in a snippet.
func large() *api.InferRequest {
	return &api.InferRequest{Model: "digits", Version: 1, Outputs: []string{"probabilities"}, Inputs: []*api.InferInput{
		{Name: "image", Datatype: "FP32", Shape: []int64{8, 64}, Data: &api.InferInput_Raw{Raw: make([]byte, 8*64*4)}},
	}}
}

// runPython runs a program where Python has the client library. Elsewhere it only compiles the
// program.
func runPython(t *testing.T, program string) {
	t.Helper()
	venv, err := filepath.Abs("../build/cache/venv/bin/python")
	if err != nil {
		t.Fatal(err)
	}
	if exec.Command(venv, "-c", "import tritonclient.http").Run() == nil {
		if out, err := exec.Command(venv, "-c", program).CombinedOutput(); err != nil {
			t.Errorf("python says %s; of\n%s", out, program)
		}
		return
	}
	compile := exec.Command("python3", "-c", "import sys; compile(sys.stdin.read(), 'snippet', 'exec')")
	compile.Stdin = strings.NewReader(program)
	if out, err := compile.CombinedOutput(); err != nil {
		t.Errorf("python says %s; of\n%s", out, program)
	}
}

func breakAndRepair(t *testing.T, w *apptest.Window) {
	file := apptest.Call(t, w.Editor.ReadFile, &api.ReadFileRequest{Model: "digits", Path: "config.pbtxt"})
	broken := strings.Replace(file.Text, "input", "imput", 1)
	analysis := apptest.Call(t, w.Editor.Analyze, &api.AnalyzeRequest{Model: "digits", Path: "config.pbtxt", Text: broken, Number: 7})
	if analysis.Number != 7 || len(analysis.Diagnostics) == 0 || analysis.Diagnostics[0].Triton == "" {
		t.Errorf("analysis is %v", analysis)
	}
	saved := apptest.Call(t, w.Editor.SaveFile, &api.SaveFileRequest{Model: "digits", Path: "config.pbtxt", Text: broken, BaseVersion: file.Version})
	w.Until(t, "the older one serves", func(s *apptest.Snapshot) bool {
		return s.State("digits") == api.ModelState_MODEL_STATE_OLDER_SERVES && s.Models["digits"].Errors > 0
	})
	conflict := apptest.Call(t, w.Editor.SaveFile, &api.SaveFileRequest{Model: "digits", Path: "config.pbtxt", Text: "x", BaseVersion: file.Version})
	if !conflict.Conflict || conflict.DiskText != broken || conflict.DiskVersion != saved.Version {
		t.Errorf("a stale save gives %v", conflict)
	}
	problems := apptest.Call(t, w.Workspace.ListProblems, &api.ListProblemsRequest{Model: "digits"})
	if len(problems.Files) != 1 || problems.Files[0].Diagnostics[0].Line == 0 {
		t.Errorf("problems are %v", problems)
	}
	apptest.Call(t, w.Editor.SaveFile, &api.SaveFileRequest{Model: "digits", Path: "config.pbtxt", Text: file.Text, BaseVersion: saved.Version})
	w.Until(t, "it is mended", func(s *apptest.Snapshot) bool {
		return s.State("digits") == api.ModelState_MODEL_STATE_READY && s.Models["digits"].Errors == 0
	})
}

func loadAndUnload(t *testing.T, w *apptest.Window) {
	apptest.Call(t, w.Models.Unload, &api.UnloadRequest{Name: "add_sub"})
	w.Until(t, "it is unloaded", func(s *apptest.Snapshot) bool { return s.State("add_sub") == api.ModelState_MODEL_STATE_UNLOADED })
	out := apptest.Call(t, w.Try.Infer, apptest.Sum())
	if out.Ok || !strings.Contains(out.Error, "add_sub") {
		t.Errorf("an unloaded model answers %v", out)
	}
	apptest.Call(t, w.Models.Load, &api.LoadRequest{Name: "add_sub"})
	if took := apptest.Call(t, w.Models.Load, &api.LoadRequest{Name: "add_sub", Force: true}).TookMs; took <= 0 {
		t.Errorf("a reload took %v ms", took)
	}
	if said := apptest.Refused(t, w.Models.Load, &api.LoadRequest{Name: "nobody"}, connect.CodeFailedPrecondition); !strings.Contains(said, "failed to load 'nobody'") {
		t.Errorf("said %q", said)
	}
	if all := apptest.Call(t, w.Models.LoadAll, &api.LoadAllRequest{}); len(all.Loaded) != 4 || len(all.Failed) != 0 {
		t.Errorf("load all gives %v", all)
	}
}

func killEngine(t *testing.T, w *apptest.Window) {
	s := w.Until(t, "it is known", func(s *apptest.Snapshot) bool { return s.Engine != nil })
	if err := syscall.Kill(int(s.Engine.Pid), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	w.Until(t, "it is back", func(now *apptest.Snapshot) bool {
		return now.Engine.GetRestarts() == 1 && now.Engine.Pid != s.Engine.Pid && apptest.AllReady(now)
	})
	if out := apptest.Call(t, w.Try.Infer, apptest.Sum()); !out.Ok {
		t.Errorf("after the restart: %v", out)
	}
}

func TestModelBrokenFromTheStart(t *testing.T) {
	root := apptest.CopyExamples(t)
	config := filepath.Join(root, "add_sub", "config.pbtxt")
	good, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	apptest.Write(t, config, strings.Replace(string(good), "TYPE_INT32", "TYPE_FP32", 1))
	apptest.Write(t, filepath.Join(root, "engine", "1", "model.dali"), "x")
	apptest.Write(t, filepath.Join(root, "engine", "config.pbtxt"), `backend: "dali"
input [ { name: "X" data_type: TYPE_FP32 dims: [ 4 ] } ]
output [ { name: "Y" data_type: TYPE_FP32 dims: [ 4 ] } ]
`)
	apptest.Write(t, filepath.Join(root, "misspelt", "1", "model.onnx"), "x")
	apptest.Write(t, filepath.Join(root, "misspelt", "config.pbtxt"), `backend: "onnxruntme"
input [ { name: "X" data_type: TYPE_FP32 dims: [ 4 ] } ]
output [ { name: "Y" data_type: TYPE_FP32 dims: [ 4 ] } ]
`)
	w := apptest.Open(t, root)
	w.Until(t, "the engine has no such backend", func(s *apptest.Snapshot) bool {
		return s.State("engine") == api.ModelState_MODEL_STATE_NOT_RUNNABLE && s.Models["engine"].Kind == "DALI"
	})
	s := w.Until(t, "it failed", func(s *apptest.Snapshot) bool {
		return s.State("add_sub") == api.ModelState_MODEL_STATE_FAILED && s.State("read_digit") == api.ModelState_MODEL_STATE_READY && s.Models["add_sub"].Errors > 0
	})
	if !strings.Contains(s.Models["add_sub"].Reason, "INPUT0") {
		t.Errorf("reason is %q", s.Models["add_sub"].Reason)
	}
	s = w.Until(t, "a backend of which nobody heard is a failure", func(s *apptest.Snapshot) bool {
		return s.State("misspelt") == api.ModelState_MODEL_STATE_FAILED
	})
	if want := `No backend is called "onnxruntme". Did you mean "onnxruntime"?`; s.Models["misspelt"].Reason != want {
		t.Errorf("reason is %q, want %q", s.Models["misspelt"].Reason, want)
	}
	if uses := s.Models["read_digit"].Uses; !slices.Equal(uses, []string{"digits_prepare", "digits"}) {
		t.Errorf("the ensemble uses %q, not in the order of its steps", uses)
	}
	apptest.Write(t, config, string(good))
	w.Until(t, "it is mended and loaded", func(s *apptest.Snapshot) bool { return s.State("add_sub") == api.ModelState_MODEL_STATE_READY })
}

func lookAtSummaries(t *testing.T, w *apptest.Window) {
	out := apptest.Call(t, w.Metrics.Summarize, &api.SummarizeRequest{Models: []string{"add_sub", ""}, From: time.Now().Add(-time.Minute).UnixMilli(), Points: 12})
	if len(out.Summaries) != 2 {
		t.Fatalf("summaries are %v", out.Summaries)
	}
	for _, sum := range out.Summaries {
		if sum.Requests == 0 || sum.Failures > sum.Requests || math.IsNaN(sum.P50Ms) || sum.P99Ms < sum.P50Ms || len(sum.Rates) != 12 {
			t.Errorf("the summary of %q is %v", sum.Model, sum)
		}
	}
	apptest.Refused(t, w.Metrics.Summarize, &api.SummarizeRequest{From: 2000, To: 1000}, connect.CodeInvalidArgument)
}

// lookAtMemory expects what ONNX Runtime holds for the models after their requests, and not the sizes of their files.
func lookAtMemory(t *testing.T, w *apptest.Window) {
	apptest.Call(t, w.Try.Infer, apptest.Sum())
	w.Until(t, "the memory of the models is measured", func(s *apptest.Snapshot) bool {
		for _, name := range []string{"add_sub", "digits"} {
			if s.Models[name].MemoryBytes < 1<<18 {
				return false
			}
		}
		return true
	})
}
