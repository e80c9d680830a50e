//go:build unix

package app_test

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"conch/app"
	"conch/app/api"
	"conch/app/apptest"
	"conch/engine/kserve/kservepb"
)

// A Python model that leaves a mark when it is imported. %s is the mark.
const pythonProgram = `
import os

import triton_python_backend_utils as pb_utils

open(MARK, "a").close()


class TritonPythonModel:
    def execute(self, requests):
        responses = []
        for request in requests:
            a = pb_utils.get_input_tensor_by_name(request, "INPUT0").as_numpy()
            b = pb_utils.get_input_tensor_by_name(request, "INPUT1").as_numpy()
            if a[0, 0] == -1:
                os._exit(3)
            sums = [pb_utils.Tensor("OUTPUT0", a + b), pb_utils.Tensor("OUTPUT1", a - b)]
            responses.append(pb_utils.InferenceResponse(output_tensors=sums))
        return responses
`

const pythonConfig = `backend: "python"
max_batch_size: 8
input [{ name: "INPUT0" data_type: TYPE_FP32 dims: [ 2 ] }, { name: "INPUT1" data_type: TYPE_FP32 dims: [ 2 ] }]
output [{ name: "OUTPUT0" data_type: TYPE_FP32 dims: [ 2 ] }, { name: "OUTPUT1" data_type: TYPE_FP32 dims: [ 2 ] }]
`

// A Python model is code: nothing of it runs before its repository is trusted. Then clients get its answers over HTTP and gRPC.
// When its process dies, the request says why, and the model serves again.
func TestPythonModel(t *testing.T) {
	apptest.UsePython(t)
	root, mark := apptest.CopyExamples(t), filepath.Join(t.TempDir(), "it ran")
	apptest.Write(t, filepath.Join(root, "sums", "config.pbtxt"), pythonConfig)
	apptest.Write(t, filepath.Join(root, "sums", "1", "model.py"), strings.Replace(pythonProgram, "MARK", `"`+mark+`"`, 1))
	w := openWith(t, app.Options{Repositories: []string{root}, DataDir: t.TempDir()})
	s := w.Until(t, "it waits", func(s *apptest.Snapshot) bool {
		return s.State("sums") == api.ModelState_MODEL_STATE_UNTRUSTED && s.State("add_sub") == api.ModelState_MODEL_STATE_READY
	})
	if reason := s.Models["sums"].Reason; exists(mark) || !strings.Contains(reason, "the program 'model.py', and this repository is not trusted") {
		t.Fatalf("it ran: %v; reason %q", exists(mark), reason)
	}
	w.trust(t, api.Access_TRUST_TRUSTED)
	ready := func(s *apptest.Snapshot) bool { return s.State("sums") == api.ModelState_MODEL_STATE_READY }
	s = w.Until(t, "it is loaded", ready)
	ask := func(first string) string {
		t.Helper()
		return inferred(t, s.Engine.HttpAddress, "sums", `{"name":"INPUT0","datatype":"FP32","shape":[1,2],"data":[`+first+`,2]},{"name":"INPUT1","datatype":"FP32","shape":[1,2],"data":[10,20]}`)
	}
	if got := ask("1"); !strings.Contains(got, `"data":[11.0,22.0]`) || !strings.Contains(got, `"data":[-9.0,-18.0]`) {
		t.Errorf("over HTTP: %s", got)
	}
	if got := sumsOverGRPC(t, s.Engine.GrpcAddress); got != [2]float32{11, 22} {
		t.Errorf("over gRPC: %v", got)
	}
	if got := ask("-1"); !strings.Contains(got, "Stub process 'sums_0' is not healthy. Its process ended with exit status 3") {
		t.Errorf("when its process ends: %s", got)
	}
	w.Until(t, "its death is told, and when it is started again", func(s *apptest.Snapshot) bool {
		m := s.Models["sums"]
		return s.State("sums") == api.ModelState_MODEL_STATE_DIED && strings.Contains(m.Reason, "died") && m.StartsAgain > 0
	})
	w.Until(t, "it serves again", func(s *apptest.Snapshot) bool { return ready(s) && s.Models["sums"].Reason == "" })
	events := apptest.Call(t, w.Metrics.Query, &api.QueryRequest{Model: "sums", From: time.Now().Add(-time.Hour).UnixMilli(), MaxPoints: 10}).Events
	died := slices.DeleteFunc(events, func(n *api.Notice) bool {
		return !strings.HasPrefix(n.Text, "sums: a process of the model died: model instance sums_0 died: ")
	})
	if len(died) != 1 || !strings.Contains(died[0].Text, "exit status 3") {
		t.Errorf("its death is told by the events %v", died)
	}
	if got := ask("1"); !strings.Contains(got, `"data":[11.0,22.0]`) {
		t.Errorf("after a restart: %s", got)
	}
}

// useOwnBackend makes a backend of the user's own, "running", which runs what lies in the folder of its model.
func useOwnBackend(t *testing.T) {
	t.Helper()
	apptest.UsePython(t)
	data := t.TempDir()
	t.Setenv("XDG_DATA_HOME", data)
	apptest.Write(t, filepath.Join(data, "conch", "backends", "running", "model.py"), `
from pathlib import Path

import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def initialize(self, args):
        exec((Path(pb_utils.get_model_dir()) / "model.code").read_text())
`)
}

// A backend of the user's own may run what lies in the folder of a model: it does so only in a trusted repository.
func TestModelOfAnOwnBackend(t *testing.T) {
	useOwnBackend(t)
	root, mark := apptest.CopyExamples(t), filepath.Join(t.TempDir(), "it ran")
	apptest.Write(t, filepath.Join(root, "own", "config.pbtxt"), strings.Replace(pythonConfig, "python", "running", 1))
	apptest.Write(t, filepath.Join(root, "own", "1", "model.code"), `open("`+mark+`", "a").close()`)
	w := openWith(t, app.Options{Repositories: []string{root}, DataDir: t.TempDir()})
	s := w.Until(t, "it waits", func(s *apptest.Snapshot) bool {
		return s.State("own") == api.ModelState_MODEL_STATE_UNTRUSTED && s.State("add_sub") == api.ModelState_MODEL_STATE_READY
	})
	const why = "model 'own' runs on the backend 'running', which is none of Conch's and can run code of the model, and this repository is not trusted"
	if reason := s.Models["own"].Reason; exists(mark) || !strings.Contains(reason, why) {
		t.Fatalf("it ran: %v; reason %q", exists(mark), reason)
	}
	w.Until(t, "people are asked", func(s *apptest.Snapshot) bool {
		code := s.Repository.Access.GetCode()
		return len(code) > 0 && code[len(code)-1].Model == "own" && code[len(code)-1].Path == "running"
	})
	w.trust(t, api.Access_TRUST_TRUSTED)
	w.Until(t, "it is loaded", func(s *apptest.Snapshot) bool { return s.State("own") == api.ModelState_MODEL_STATE_READY })
	if !exists(mark) {
		t.Error("it did not run")
	}
}

// sumsOverGRPC returns the first output for [1, 2] and [10, 20].
func sumsOverGRPC(t *testing.T, address string) (sums [2]float32) {
	t.Helper()
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	request := &kservepb.ModelInferRequest{ModelName: "sums"}
	for name, values := range map[string][]float32{"INPUT0": {1, 2}, "INPUT1": {10, 20}} {
		var raw []byte
		for _, v := range values {
			raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
		}
		request.Inputs = append(request.Inputs, &kservepb.ModelInferRequest_InferInputTensor{Name: name, Datatype: "FP32", Shape: []int64{1, 2}})
		request.RawInputContents = append(request.RawInputContents, raw)
	}
	response, err := kservepb.NewGRPCInferenceServiceClient(conn).ModelInfer(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	for i := range sums {
		sums[i] = math.Float32frombits(binary.LittleEndian.Uint32(response.RawOutputContents[0][4*i:]))
	}
	return sums
}

// A client that may send configs and files brings no program, though the repository is trusted.
func TestClientsBringNoPrograms(t *testing.T) {
	useOwnBackend(t)
	root, mark := apptest.CopyExamples(t), filepath.Join(t.TempDir(), "it ran")
	w := openWith(t, app.Options{Repositories: []string{root}, DataDir: t.TempDir()})
	s := w.Until(t, "all are ready", apptest.AllReady)
	allow := true
	apptest.Call(t, w.Workspace.SetAccess, &api.SetAccessRequest{Roots: []string{w.Root}, Overrides: &allow, Trust: api.Access_TRUST_TRUSTED})
	w.Until(t, "both are permitted", func(s *apptest.Snapshot) bool {
		return s.Repository.Access.GetOverrides() && s.Repository.Access.GetTrust() == api.Access_TRUST_TRUSTED
	})
	program := base64.StdEncoding.EncodeToString([]byte(strings.Replace(pythonProgram, "MARK", `"`+mark+`"`, 1)))
	config := `{"max_batch_size":8,` + `"input":[{"name":"INPUT0","data_type":"TYPE_FP32","dims":[2]}],"output":[{"name":"OUTPUT0","data_type":"TYPE_FP32","dims":[2]}]`
	for _, c := range []struct{ config, file string }{
		{`,"backend":"python"`, "1/model.py"},
		{"", "1/model.py"},
		{`,"backend":"pytorch","runtime":"model.py"`, "1/model.py"},
		{`,"platform":"pytorch_libtorch","runtime":"model.py"`, "1/model.py"},
		{`,"platform":"torch_aoti"`, "1/model.pt2"},
		// Frameworks import what lies beside these, and some of them run what lies within.
		{`,"platform":"pytorch_libtorch"`, "1/model.pt"},
		{`,"platform":"tensorflow_graphdef"`, "1/model.graphdef"},
		{`,"backend":"openvino"`, "1/model.xml"},
		{`,"backend":"fastertransformer"`, "1/t5/pytorch_model.bin"},
		{`,"backend":"running"`, "1/model.code"},
	} {
		body, err := json.Marshal(map[string]any{"parameters": map[string]string{
			"config": config + c.config + "}", "file:" + c.file: program, "file:1/opt_einsum.py": program, "file:1/requirements.txt": "",
		}})
		if err != nil {
			t.Fatal(err)
		}
		post(t, c.file+c.config, "http://"+s.Engine.HttpAddress+"/v2/repository/models/brought/load", string(body), "the files of a load request may not bring a program")
	}
	if exists(mark) {
		t.Error("it ran")
	}
}
