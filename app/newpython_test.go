//go:build unix

package app_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"connectrpc.com/connect"

	"conch/app"
	"conch/app/api"
	"conch/app/apptest"
)

const (
	newTexts = `backend: "python" max_batch_size: 4
input [{ name: "text" data_type: TYPE_STRING dims: [ -1 ] }, { name: "image" data_type: TYPE_UINT8 dims: [ 2, -1 ] }, { name: "seed" data_type: TYPE_INT64 dims: [ 1 ] optional: true }]
output [{ name: "SAME" data_type: TYPE_STRING dims: [ -1 ] }, { name: "SCALED" data_type: TYPE_FP32 dims: [ 2, -1 ] }, { name: "FLAGS" data_type: TYPE_BOOL dims: [ 3 ] }, { name: "WORDS" data_type: TYPE_STRING dims: [ 2 ] }]`
	newShapeless = `backend: "python" max_batch_size: 4
input { name: "in" data_type: TYPE_INT32 dims: [ 1 ] reshape { shape: [ ] } }
output [{ name: "out" data_type: TYPE_INT32 dims: [ 1 ] reshape { shape: [ ] } }, { name: "zero" data_type: TYPE_FP64 dims: [ 1 ] reshape { shape: [ ] } }]`
	newDecoupled = `backend: "python" max_batch_size: 0 model_transaction_policy { decoupled: true }
input { name: "in" data_type: TYPE_FP16 dims: [ 1 ] }
output { name: "out" data_type: TYPE_INT8 dims: [ 2 ] }`
	newUnnamed = `backend: "python" max_batch_size: 2`
)

// TestNewPythonModel: a new Python model has a program that is loaded, once it is trusted, and answers as its config says.
func TestNewPythonModel(t *testing.T) {
	apptest.UsePython(t)
	w := openWith(t, app.Options{Repositories: []string{apptest.CopyExamples(t)}, DataDir: t.TempDir()})
	w.Until(t, "the models are listed", func(s *apptest.Snapshot) bool { return len(s.Models) == 4 })
	made := func(name string, config *string) {
		t.Helper()
		answer := apptest.Call(t, w.Models.CreateModel, &api.CreateModelRequest{Name: name, Backend: "python", Config: config})
		if answer.Open != "1/model.py" || !strings.Contains(apptest.ReadFile(t, filepath.Join(w.Root, name, answer.Open)), "class TritonPythonModel") {
			t.Fatalf("%s opens %q", name, answer.Open)
		}
	}
	made("first", nil)
	w.Until(t, "it waits for trust", func(s *apptest.Snapshot) bool {
		return s.State("first") == api.ModelState_MODEL_STATE_UNTRUSTED && s.Models["first"].Errors == 0 && s.Models["first"].Lacks == ""
	})
	w.trust(t, api.Access_TRUST_TRUSTED)
	texts, shapeless, decoupled, unnamed := newTexts, newShapeless, newDecoupled, newUnnamed
	made("texts", &texts)
	made("shapeless", &shapeless)
	made("decoupled", &decoupled)
	made("unnamed", &unnamed)
	for _, c := range []struct{ model, inputs, answer string }{
		{"first", `{"name":"INPUT","datatype":"FP32","shape":[3],"data":[1,2.5,3]}`, `"datatype":"FP32","shape":[3],"data":[1.0,2.5,3.0]`},
		{"texts", `{"name":"text","datatype":"BYTES","shape":[1,2],"data":["é","b"]},{"name":"image","datatype":"UINT8","shape":[1,2,2],"data":[1,2,3,4]}`,
			`"name":"SAME","datatype":"BYTES","shape":[1,2],"data":["é","b"] "name":"SCALED","datatype":"FP32","shape":[1,2,2],"data":[0.0,0.0,0.0,0.0] ` +
				`"name":"FLAGS","datatype":"BOOL","shape":[1,3],"data":[false,false,false] "name":"WORDS","datatype":"BYTES","shape":[1,2],"data":["",""]`},
		{"shapeless", `{"name":"in","datatype":"INT32","shape":[2,1],"data":[7,8]}`, `"name":"out","datatype":"INT32","shape":[2,1],"data":[7,8] "name":"zero","datatype":"FP64","shape":[2,1],"data":[0.0,0.0]`},
		{"unnamed", `{"name":"INPUT","datatype":"FP32","shape":[1,2],"data":[4,5]}`, `"name":"OUTPUT","datatype":"FP32","shape":[1,2],"data":[4.0,5.0]`},
	} {
		s := w.Until(t, c.model+" is ready", func(s *apptest.Snapshot) bool { return s.State(c.model) == api.ModelState_MODEL_STATE_READY })
		got := inferred(t, s.Engine.HttpAddress, c.model, c.inputs)
		for _, part := range strings.Split(c.answer, " ") {
			if !strings.Contains(got, part) {
				t.Errorf("%s answers %s, without %s", c.model, got, part)
			}
		}
	}
	w.Until(t, "the decoupled one is ready", func(s *apptest.Snapshot) bool { return s.State("decoupled") == api.ModelState_MODEL_STATE_READY })
	asked := &api.InferRequest{Model: "decoupled", Inputs: []*api.InferInput{{Name: "in", Datatype: "FP16", Shape: []int64{1}, Data: &api.InferInput_Raw{Raw: []byte{0, 0}}}}}
	if out := apptest.Call(t, w.Try.Infer, asked); !out.Ok || out.Answers != 1 {
		t.Errorf("decoupled answers %v", out)
	}
}

// inferred asks a model over HTTP, and returns the text of its answer.
func inferred(t *testing.T, address, model, inputs string) string {
	t.Helper()
	answer, err := http.Post(fmt.Sprintf("http://%s/v2/models/%s/infer", address, model), "application/json", strings.NewReader(`{"inputs":[`+inputs+`]}`))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestWrittenProgram: the problem of a Python model without its program has a fix that writes it. A load before says what is
// missing, and goes on saying it.
func TestWrittenProgram(t *testing.T) {
	apptest.UsePython(t)
	root := apptest.CopyExamples(t)
	apptest.Write(t, filepath.Join(root, "sums", "config.pbtxt"), pythonConfig)
	if err := os.Mkdir(filepath.Join(root, "sums", "1"), 0o755); err != nil {
		t.Fatal(err)
	}
	w := openWith(t, app.Options{Repositories: []string{root}, DataDir: t.TempDir()})
	lacks := "It has no model file yet. Put model.py into sums/1."
	w.Until(t, "it says what it lacks", func(s *apptest.Snapshot) bool { return s.Models["sums"].GetLacks() == lacks })
	w.trust(t, api.Access_TRUST_TRUSTED)
	w.Until(t, "the engine runs", func(s *apptest.Snapshot) bool { return s.State("add_sub") == api.ModelState_MODEL_STATE_READY })
	apptest.Refused(t, w.Models.Load, &api.LoadRequest{Name: "sums"}, connect.CodeFailedPrecondition)
	w.Until(t, "it failed, and still says it", func(s *apptest.Snapshot) bool {
		return s.State("sums") == api.ModelState_MODEL_STATE_FAILED && s.Models["sums"].Lacks == lacks
	})
	var fix *api.NewFile
	for _, d := range apptest.Call(t, w.Editor.Analyze, &api.AnalyzeRequest{Model: "sums", Path: "config.pbtxt", Text: pythonConfig}).Diagnostics {
		for _, one := range d.Fixes {
			fix = one.File
		}
	}
	if fix.GetPath() != "1/model.py" {
		t.Fatalf("the fix writes %v", fix)
	}
	apptest.Call(t, w.Editor.CreateFile, &api.CreateFileRequest{Model: "sums", Path: fix.Path, Text: fix.Text})
	s := w.Until(t, "it is loaded", func(s *apptest.Snapshot) bool { return s.State("sums") == api.ModelState_MODEL_STATE_READY })
	if m := s.Models["sums"]; m.Errors > 0 || m.Lacks != "" {
		t.Errorf("%v", m)
	}
	inputs := `{"name":"INPUT0","datatype":"FP32","shape":[1,2],"data":[1,2]},{"name":"INPUT1","datatype":"FP32","shape":[1,2],"data":[3,4]}`
	if got := inferred(t, s.Engine.HttpAddress, "sums", inputs); !strings.Contains(got, `"data":[1.0,2.0]`) {
		t.Errorf("it answers %s", got)
	}
}
