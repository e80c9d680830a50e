//go:build unix

package app_test

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/encoding/protojson"

	"conch/app"
	"conch/app/api"
	. "conch/app/apptest"
	"conch/engine/kserve/kservepb"
)

// A decoupled model that answers N times.
const countProgram = `
import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        for request in requests:
            sender = request.get_response_sender()
            for i in range(int(pb_utils.get_input_tensor_by_name(request, "N").as_numpy()[0])):
                out = pb_utils.Tensor("OUT", np.array([f"token {i}".encode()], dtype=np.object_))
                sender.send(pb_utils.InferenceResponse([out]))
            sender.send(flags=pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL)
`

const countConfig = `backend: "python"
input { name: "N" data_type: TYPE_INT32 dims: [ 1 ] }
output { name: "OUT" data_type: TYPE_STRING dims: [ 1 ] }
model_transaction_policy { decoupled: true }
`

// TestCopiedDecoupled: a request to a decoupled model, copied in any form, gets all answers from Conch and from Triton.
func TestCopiedDecoupled(t *testing.T) {
	UsePython(t)
	repository := CopyExamples(t)
	Write(t, filepath.Join(repository, "count", "config.pbtxt"), countConfig)
	Write(t, filepath.Join(repository, "count", "1", "model.py"), countProgram)
	t.Run("conch", func(t *testing.T) { copiedFrom(t, StartPeer(t, repository, "--load-model=count")) })
	t.Run("triton", func(t *testing.T) {
		copiedFrom(t, triton(t, repository, "--model-control-mode=explicit", "--load-model=add_sub", "--load-model=count"))
	})
}

func copiedFrom(t *testing.T, p *Peer) {
	for _, address := range []string{"http://" + p.HTTP, "grpc://" + p.GRPC} {
		w := OpenWith(t, app.Options{})
		attach(t, w, address, p)
		w.Until(t, "the model is shown", func(s *Snapshot) bool { return attached(s) && s.State("count") == api.ModelState_MODEL_STATE_READY })
		if m := Call(t, w.Models.GetModel, &api.GetModelRequest{Name: "count"}); !m.Decoupled || m.NoCurl != "" {
			t.Errorf("the model is %v", m)
		}
		request := &api.InferRequest{Model: "count", Outputs: []string{"OUT"}, Inputs: []*api.InferInput{
			{Name: "N", Datatype: "INT32", Shape: []int64{1}, Data: &api.InferInput_Raw{Raw: []byte{3, 0, 0, 0}}},
		}}
		copied := func(language string) string {
			return Call(t, w.Try.Snippet, &api.SnippetRequest{Language: language, Request: request}).Text
		}
		if strings.HasPrefix(address, "http") { // over gRPC the address of HTTP is not known
			allTold(t, "curl", exec.Command("bash", "-c", copied("curl")))
		} else {
			allTold(t, "python", exec.Command("../build/cache/venv/bin/python", "-c", copied("python")))
			streamed(t, p.GRPC, copied("grpcurl"))
		}
	}
}

func allTold(t *testing.T, language string, program *exec.Cmd) {
	t.Helper()
	out, err := program.CombinedOutput()
	for _, answer := range []string{"token 0", "token 1", "token 2"} {
		if err != nil || strings.Count(string(out), answer) != 1 {
			t.Errorf("%s of %q shows\n%s\n%v", language, program.Args, out, err)
		}
	}
}

// streamed sends what grpcurl would: the message, and then the end of the stream.
func streamed(t *testing.T, address, command string) {
	t.Helper()
	head, message, _ := strings.Cut(command, "<<'END'\n")
	if !strings.Contains(head, " inference.GRPCInferenceService/ModelStreamInfer") {
		t.Fatalf("grpcurl calls %s", head)
	}
	request := &kservepb.ModelInferRequest{}
	if err := protojson.Unmarshal([]byte(strings.TrimSuffix(message, "\nEND\n")), request); err != nil {
		t.Fatalf("%v; of\n%s", err, message)
	}
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	ctx, end := context.WithCancel(t.Context())
	defer end()
	stream, err := kservepb.NewGRPCInferenceServiceClient(conn).ModelStreamInfer(ctx)
	if err != nil || stream.Send(request) != nil || stream.CloseSend() != nil {
		t.Fatal(err)
	}
	answers := 0
	for {
		answer, err := stream.Recv()
		if err != nil {
			break // its end; the count tells whether it is the right one
		}
		if answer.ErrorMessage != "" {
			t.Errorf("the stream says %s", answer.ErrorMessage)
		}
		answers++
	}
	if answers != 3 {
		t.Errorf("%d answers to\n%s", answers, message)
	}
}
