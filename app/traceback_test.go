//go:build unix

package app_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"

	"conch/app"
	"conch/app/api"
	"conch/app/apptest"
)

// A program whose helper, in the model's folder, raises for a negative number.
const checkedProgram = `
import triton_python_backend_utils as pb_utils
from . import helper


class TritonPythonModel:
    def execute(self, requests):
        return [helper.answer(request) for request in requests]
`

const checkedHelper = `import os; import triton_python_backend_utils as pb_utils


def answer(request):
    a = pb_utils.get_input_tensor_by_name(request, "INPUT0").as_numpy()
    if a[0, 0] < 0:
        raise ValueError("a negative number")
    if a[0, 0] == 99:
        os._exit(3)
    return pb_utils.InferenceResponse([pb_utils.Tensor("OUTPUT0", a * FACTOR)])
`

const checkedConfig = `backend: "python"
max_batch_size: 8
input [{ name: "INPUT0" data_type: TYPE_FP32 dims: [ 2 ] }]
output [{ name: "OUTPUT0" data_type: TYPE_FP32 dims: [ 2 ] }]
`

func writeChecked(t *testing.T, root, factor string) (helper string) {
	t.Helper()
	dir := filepath.Join(root, "checked")
	helper = filepath.Join(dir, "1", "helper.py")
	apptest.Write(t, filepath.Join(dir, "config.pbtxt"), checkedConfig)
	apptest.Write(t, helper, strings.Replace(checkedHelper, "FACTOR", factor, 1))
	apptest.Write(t, filepath.Join(dir, "1", "model.py"), checkedProgram)
	return helper
}

// askChecked returns the first output, or the error.
func askChecked(t *testing.T, w *apptest.Window, values string) (string, string) {
	t.Helper()
	out, err := w.Try.Infer(t.Context(), connect.NewRequest(&api.InferRequest{Model: "checked", Inputs: []*api.InferInput{
		{Name: "INPUT0", Datatype: "FP32", Shape: []int64{1, 2}, Data: &api.InferInput_Json{Json: values}},
	}}))
	if err != nil {
		t.Fatal(err)
	}
	if !out.Msg.Ok {
		return "", out.Msg.Error
	}
	return string(out.Msg.Outputs[0].Raw), ""
}

// A request that a program failed, and a load, are problems at the line of the program, in the editor as well. They end with a
// request that succeeds, and with a load.
func TestTracebacksAreProblems(t *testing.T) {
	apptest.UsePython(t)
	root := apptest.CopyExamples(t)
	helper := writeChecked(t, root, "2")
	w := openWith(t, app.Options{Repositories: []string{root}, DataDir: t.TempDir()})
	w.trust(t, api.Access_TRUST_TRUSTED)
	ready := func(s *apptest.Snapshot) bool { return s.State("checked") == api.ModelState_MODEL_STATE_READY }
	w.Until(t, "it is ready", ready)
	if _, err := askChecked(t, w.Window, "[[-1, 2]]"); !strings.Contains(err, "a negative number") {
		t.Fatalf("error = %q", err)
	}
	w.Until(t, "the request is a problem", func(s *apptest.Snapshot) bool { return s.Models["checked"].Warnings == 1 })
	d := raisedIn(t, w.Window, "1/helper.py")
	if d == nil || d.Line != 7 || d.Message != "ValueError: a negative number (the last request)" || len(d.Related) == 0 || d.Related[1].Path != "1/model.py" || d.Related[1].Line != 8 {
		t.Errorf("the problem of the request: %v", d)
	}
	if _, err := askChecked(t, w.Window, "[[99, 2]]"); !strings.Contains(err, "exit status 3") {
		t.Fatalf("error = %q", err)
	}
	w.Until(t, "the newest failure takes its place", func(s *apptest.Snapshot) bool {
		d := raisedIn(t, w.Window, "1/model.py")
		return s.Models["checked"].Warnings == 1 && raisedIn(t, w.Window, "1/helper.py") == nil && d != nil && strings.HasPrefix(d.Message, "Its process ended with exit status 3")
	})
	w.Until(t, "it serves again", func(s *apptest.Snapshot) bool {
		return ready(s) && slices.Contains(s.Notices, "checked: a process of the model that died runs again")
	})
	if _, err := askChecked(t, w.Window, "[[-1, 2]]"); !strings.Contains(err, "a negative number") {
		t.Fatalf("error = %q", err)
	}
	text := "# one\n# two\n" + strings.Replace(checkedHelper, "FACTOR", "2", 1)
	out := apptest.Call(t, w.Editor.Analyze, &api.AnalyzeRequest{Model: "checked", Path: "1/helper.py", Text: text, Number: 1, Edit: &api.Edit{
		BaseText: strings.Replace(checkedHelper, "FACTOR", "2", 1), Writer: "w",
	}})
	if len(out.Diagnostics) != 1 || out.Diagnostics[0].Line != 9 || text[out.Diagnostics[0].From:out.Diagnostics[0].To] != `raise ValueError("a negative number")` {
		t.Errorf("in the edited text: %v", out.Diagnostics)
	}
	if _, err := askChecked(t, w.Window, "[[1, 2]]"); err != "" {
		t.Fatal(err)
	}
	w.Until(t, "it is none any more", func(s *apptest.Snapshot) bool { return s.Models["checked"].Warnings == 0 })

	apptest.Write(t, helper, "import nothing_of_this_name\n")
	w.Until(t, "the reload failed", func(s *apptest.Snapshot) bool { return s.Models["checked"].Errors == 1 })
	if d := raisedIn(t, w.Window, "1/helper.py"); d == nil || d.Line != 1 || d.Triton != "ModuleNotFoundError: No module named 'nothing_of_this_name'" {
		t.Errorf("the problem of the load: %v", d)
	}
	writeChecked(t, root, "3")
	w.Until(t, "it is loaded", func(s *apptest.Snapshot) bool { return ready(s) && s.Models["checked"].Errors == 0 })
}

// A program that Python cannot read has its problem at its own line, once, also after a load that failed; then the newest
// failure counts.
func TestProgramThatPythonCannotRead(t *testing.T) {
	apptest.UsePython(t)
	root := apptest.CopyExamples(t)
	program := filepath.Join(filepath.Dir(writeChecked(t, root, "2")), "model.py")
	w := openWith(t, app.Options{Repositories: []string{root}, DataDir: t.TempDir()})
	w.trust(t, api.Access_TRUST_TRUSTED)
	w.Until(t, "it is ready", func(s *apptest.Snapshot) bool { return s.State("checked") == api.ModelState_MODEL_STATE_READY })
	for _, c := range []struct {
		text, reason string
		line         uint32
		message      string
	}{
		{strings.Replace(checkedProgram, "requests):", "requests)", 1), "SyntaxError", 7, "Python refuses 1/model.py, line 7: "},
		{checkedProgram + "\n    def broken(:\n        pass\n", "(model.py, line 10)", 10, "Python refuses 1/model.py, line 10: invalid syntax"},
		{"import jsonx\n" + checkedProgram, "jsonx", 1, "ModuleNotFoundError: No module named 'jsonx' (the last load)"},
	} {
		apptest.Write(t, program, c.text)
		w.Until(t, "the reload failed", func(s *apptest.Snapshot) bool {
			return strings.Contains(s.Models["checked"].Reason, c.reason) && s.Models["checked"].Errors == 1
		})
		files := apptest.Call(t, w.Workspace.ListProblems, &api.ListProblemsRequest{Model: "checked"}).Files
		if len(files) != 1 || files[0].Path != "1/model.py" || len(files[0].Diagnostics) != 1 {
			t.Fatalf("the problems: %v", files)
		}
		out := apptest.Call(t, w.Editor.Analyze, &api.AnalyzeRequest{Model: "checked", Path: "1/model.py", Text: c.text, Number: 1})
		if len(out.Diagnostics) != 1 || out.Diagnostics[0].Follows || out.Diagnostics[0].Line != c.line || !strings.HasPrefix(out.Diagnostics[0].Message, c.message) {
			t.Errorf("in the editor: %v", out.Diagnostics)
		}
		if out := apptest.Call(t, w.Editor.Analyze, &api.AnalyzeRequest{Model: "checked", Path: "config.pbtxt", Text: checkedConfig, Number: 1}); len(out.Diagnostics) > 0 {
			t.Errorf("in the config: %v", out.Diagnostics)
		}
	}
}

// A module that Python cannot read is in doubt until a load has failed because of it: then that is its one problem.
func TestModuleThatPythonCannotRead(t *testing.T) {
	apptest.UsePython(t)
	root := apptest.CopyExamples(t)
	helper := writeChecked(t, root, "2")
	program := strings.NewReplacer("from . import helper", "from .helper import answer", "helper.answer(", "answer(").Replace(checkedProgram)
	apptest.Write(t, filepath.Join(filepath.Dir(helper), "model.py"), program)
	w := openWith(t, app.Options{Repositories: []string{root}, DataDir: t.TempDir()})
	w.trust(t, api.Access_TRUST_TRUSTED)
	w.Until(t, "it is ready", func(s *apptest.Snapshot) bool { return s.State("checked") == api.ModelState_MODEL_STATE_READY })
	const text = "def broken(:\n    pass\n"
	apptest.Write(t, helper, text)
	w.Until(t, "the reload failed", func(s *apptest.Snapshot) bool {
		return strings.Contains(s.Models["checked"].Reason, "SyntaxError") && s.Models["checked"].Errors == 1 && s.Models["checked"].Warnings == 0
	})
	files := apptest.Call(t, w.Workspace.ListProblems, &api.ListProblemsRequest{Model: "checked"}).Files
	if len(files) != 1 || files[0].Path != "1/helper.py" || len(files[0].Diagnostics) != 1 {
		t.Fatalf("the problems: %v", files)
	}
	out := apptest.Call(t, w.Editor.Analyze, &api.AnalyzeRequest{Model: "checked", Path: "1/helper.py", Text: text, Number: 1})
	if len(out.Diagnostics) != 1 || out.Diagnostics[0].Line != 1 || !strings.HasPrefix(out.Diagnostics[0].Message, "SyntaxError: invalid syntax") {
		t.Errorf("in the editor: %v", out.Diagnostics)
	}
}

func raisedIn(t *testing.T, w *apptest.Window, path string) *api.Diagnostic {
	t.Helper()
	for _, f := range apptest.Call(t, w.Workspace.ListProblems, &api.ListProblemsRequest{Model: "checked"}).Files {
		if f.Path == path {
			return f.Diagnostics[0]
		}
	}
	return nil
}

// A saved module of a model is in force soon.
func TestSavedProgramIsInForce(t *testing.T) {
	apptest.UsePython(t)
	root := apptest.CopyExamples(t)
	helper := writeChecked(t, root, "2")
	w := openWith(t, app.Options{Repositories: []string{root}, DataDir: t.TempDir()})
	w.trust(t, api.Access_TRUST_TRUSTED)
	w.Until(t, "it is ready", func(s *apptest.Snapshot) bool { return s.State("checked") == api.ModelState_MODEL_STATE_READY })
	before, err := askChecked(t, w.Window, "[[1, 2]]")
	if err != "" {
		t.Fatal(err)
	}
	apptest.Write(t, helper, strings.Replace(checkedHelper, "FACTOR", "3", 1))
	saved := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for ctx.Err() == nil {
		if got, err := askChecked(t, w.Window, "[[1, 2]]"); err != "" {
			t.Fatal(err)
		} else if got != before {
			t.Logf("in force after %v", time.Since(saved))
			return
		}
	}
	t.Error("the saved program was not loaded")
}
