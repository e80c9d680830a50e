//go:build unix

package app_test

import (
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"connectrpc.com/connect"

	"conch/app"
	"conch/app/api"
	"conch/app/apptest"
)

// A Python model that sends its request on to other models. NAMES are theirs.
const callingProgram = `
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        return [self.ask(request) for request in requests]

    def ask(self, request):
        for name in NAMES:
            call = pb_utils.InferenceRequest(
                model_name=name, inputs=request.inputs(), requested_output_names=["OUTPUT0", "OUTPUT1"]
            )
            answer = call.exec()
        return pb_utils.InferenceResponse(answer.output_tensors())
`

// What a Python model is seen calling is its graph, with what these models call in turn. A model that is not there is marked.
// A load forgets them.
func TestGraphOfCalls(t *testing.T) {
	apptest.UsePython(t)
	root := apptest.CopyExamples(t)
	for name, calls := range map[string]string{"outer": `["nobody", "inner"]`, "inner": `["add_sub"]`} {
		apptest.Write(t, filepath.Join(root, name, "config.pbtxt"), strings.NewReplacer("dims: [ 2 ]", "dims: [ 16 ]", "FP32", "INT32").Replace(pythonConfig))
		apptest.Write(t, filepath.Join(root, name, "1", "model.py"), strings.Replace(callingProgram, "NAMES", calls, 1))
	}
	w := openWith(t, app.Options{Repositories: []string{root}, DataDir: t.TempDir()})
	w.trust(t, api.Access_TRUST_TRUSTED)
	s := w.Until(t, "all are loaded", func(s *apptest.Snapshot) bool {
		return s.State("outer") == api.ModelState_MODEL_STATE_READY && s.State("inner") == api.ModelState_MODEL_STATE_READY &&
			s.State("add_sub") == api.ModelState_MODEL_STATE_READY
	})
	before := apptest.Call(t, w.Models.GetGraph, &api.GetGraphRequest{Name: "outer"})
	if len(before.Nodes) != 1 || before.Nodes[0].Kind != api.GraphNode_KIND_MODEL || len(before.Nodes[0].Inputs) != 2 || len(before.Edges) != 0 {
		t.Errorf("before the first call: %v", before)
	}
	apptest.Refused(t, w.Models.GetGraph, &api.GetGraphRequest{Name: "add_sub"}, connect.CodeFailedPrecondition)

	askOuter(t, s.Engine.HttpAddress)
	askOuter(t, s.Engine.HttpAddress)
	w.Until(t, "the calls are told", func(s *apptest.Snapshot) bool {
		return slices.Equal(s.Models["outer"].GetCalls(), []string{"inner", "nobody"}) && slices.Equal(s.Models["inner"].GetCalls(), []string{"add_sub"})
	})
	graph := apptest.Call(t, w.Models.GetGraph, &api.GetGraphRequest{Name: "outer"})
	problems := map[string]string{}
	for _, n := range graph.Nodes {
		problems[n.Id] = n.Problem
	}
	if len(problems) != 4 || problems["call:nobody"] != `There is no model "nobody" in this repository, but it is called` ||
		problems["model"]+problems["call:inner"]+problems["call:add_sub"] != "" {
		t.Errorf("the nodes have the problems %q", problems)
	}
	edges := map[string]*api.Calls{}
	for _, e := range graph.Edges {
		edges[e.Source+" "+e.Target] = e.Calls
	}
	lost, nested := edges["model call:nobody"], edges["call:inner call:add_sub"]
	if len(edges) != 3 || lost.GetCount() != 2 || lost.Failed != 2 || !lost.NewestFailed || !strings.Contains(lost.Error, "'nobody'") ||
		nested.GetCount() != 2 || nested.Failed != 0 || nested.NewestFailed || nested.Last == 0 {
		t.Errorf("the edges are %v", edges)
	}

	apptest.Call(t, w.Models.Load, &api.LoadRequest{Name: "outer", Force: true})
	w.Until(t, "the calls are forgotten", func(s *apptest.Snapshot) bool { return len(s.Models["outer"].GetCalls()) == 0 })
}

func askOuter(t *testing.T, address string) {
	t.Helper()
	ones := "[" + strings.Repeat("1,", 15) + "1]"
	body := `{"inputs":[{"name":"INPUT0","datatype":"INT32","shape":[1,16],"data":` + ones + `},{"name":"INPUT1","datatype":"INT32","shape":[1,16],"data":` + ones + `}]}`
	answer, err := http.Post("http://"+address+"/v2/models/outer/infer", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil || !strings.Contains(string(text), `"data":[2,2,2,2,`) {
		t.Fatalf("the answer is %s, %v", text, err)
	}
}

// A Python model that answers before its call of "waits" has. That goes on until the test lets it end.
const hastyProgram = `
import os
import threading
import time

import triton_python_backend_utils as pb_utils


def until(name):
    while not os.path.exists(os.path.join(FOLDER, name)):
        time.sleep(0.005)


class TritonPythonModel:
    def execute(self, requests):
        inputs = requests[0].inputs()
        if NAME == "hasty":
            call = pb_utils.InferenceRequest(model_name="waits", inputs=inputs, requested_output_names=["OUTPUT0"])
            threading.Thread(target=call.exec).start()
            until("begun")
            until("drawn")
        else:
            open(os.path.join(FOLDER, "begun"), "w").close()
            until("end")
        outputs = [pb_utils.Tensor(f"OUTPUT{i}", one.as_numpy()) for i, one in enumerate(inputs)]
        return [pb_utils.InferenceResponse(outputs)]
`

// A call that has not ended is drawn. A request that is answered before it has the call in its trace, without an end.
func TestGraphOfACallThatRuns(t *testing.T) {
	apptest.UsePython(t)
	root, folder := apptest.CopyExamples(t), t.TempDir()
	for _, name := range []string{"hasty", "waits"} {
		apptest.Write(t, filepath.Join(root, name, "config.pbtxt"), strings.NewReplacer("dims: [ 2 ]", "dims: [ 16 ]", "FP32", "INT32").Replace(pythonConfig))
		apptest.Write(t, filepath.Join(root, name, "1", "model.py"), strings.NewReplacer("NAME", strconv.Quote(name), "FOLDER", strconv.Quote(folder)).Replace(hastyProgram))
	}
	w := openWith(t, app.Options{Repositories: []string{root}, DataDir: t.TempDir()})
	w.trust(t, api.Access_TRUST_TRUSTED)
	w.Until(t, "both are loaded", func(s *apptest.Snapshot) bool {
		return s.State("hasty") == api.ModelState_MODEL_STATE_READY && s.State("waits") == api.ModelState_MODEL_STATE_READY
	})
	request, answers := apptest.Sum(), make(chan *api.InferResponse, 1)
	request.Model = "hasty"
	go func() {
		answer, err := w.Try.Infer(t.Context(), connect.NewRequest(request))
		if err != nil {
			t.Error(err)
			close(answers)
			return
		}
		answers <- answer.Msg
	}()
	w.Until(t, "the call is told", func(s *apptest.Snapshot) bool { return slices.Equal(s.Models["hasty"].GetCalls(), []string{"waits"}) })
	graph := apptest.Call(t, w.Models.GetGraph, &api.GetGraphRequest{Name: "hasty"})
	if len(graph.Edges) != 1 || graph.Edges[0].Target != "call:waits" || graph.Edges[0].Calls.GetRunning() != 1 || graph.Edges[0].Calls.Count != 0 {
		t.Errorf("the edges are %v", graph.Edges)
	}
	apptest.Write(t, filepath.Join(folder, "drawn"), "")
	answer := <-answers
	if steps := answer.GetSteps(); len(steps) != 1 || steps[0].Model != "waits" || !steps[0].Running || steps[0].Span.GetEndedNs() != 0 {
		t.Errorf("the answer is %v, its calls %v", answer, steps)
	}
	apptest.Write(t, filepath.Join(folder, "end"), "")
}
