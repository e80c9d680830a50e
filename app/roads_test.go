//go:build unix

package app_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/encoding/prototext"

	"conch/app"
	"conch/app/api"
	. "conch/app/apptest"
)

// TestRoads: a server tells and does the same over gRPC and over HTTP, in the same words.
func TestRoads(t *testing.T) {
	UsePython(t)
	t.Run("conch", func(t *testing.T) {
		sameOverBoth(t, StartPeer(t, withProgram(t), "--load-model=read_digit", "--load-model=say_digit"))
	})
	t.Run("triton", func(t *testing.T) {
		sameOverBoth(t, triton(t, withProgram(t), "--model-control-mode=explicit", "--load-model=add_sub", "--load-model=read_digit", "--load-model=say_digit"))
	})
}

// withProgram returns a copy of the examples with the Python model among them.
func withProgram(t *testing.T) string {
	t.Helper()
	repository := CopyExamples(t)
	if err := os.CopyFS(filepath.Join(repository, "say_digit"), os.DirFS("../examples/repository/say_digit")); err != nil {
		t.Fatal(err)
	}
	return repository
}

func sameOverBoth(t *testing.T, p *Peer) {
	overGRPC := travelled(t, "grpc://"+p.GRPC, p)
	overHTTP := travelled(t, "http://"+p.HTTP, p)
	for i := range overGRPC {
		if overGRPC[i] != overHTTP[i] {
			t.Errorf("over gRPC:\n%s\nover HTTP:\n%s", overGRPC[i], overHTTP[i])
		}
	}
}

// travelled asks a server for all that both roads have, and returns what it told.
func travelled(t *testing.T, address string, p *Peer) (told []string) {
	t.Helper()
	w := OpenWith(t, app.Options{})
	attach(t, w, address, p)
	s := w.Until(t, "the server's models are shown", func(s *Snapshot) bool {
		return attached(s) && s.Models["say_digit"].GetKind() != "" && s.State("digits") == api.ModelState_MODEL_STATE_READY
	})
	if s.Engine.Remote.Version == "" || s.Engine.Remote.Address != address {
		t.Errorf("the server is %v", s.Engine.Remote)
	}
	tell := func(what string, fact any) { told = append(told, fmt.Sprintf("%s: %v", what, fact)) }
	for name, m := range s.Models {
		tell("state", fmt.Sprint(name, m.State, m.Kind, m.Runtime, m.Reason))
	}
	slices.Sort(told)
	for _, model := range []string{"add_sub", "say_digit"} {
		tell("config", Call(t, w.Models.GetEffectiveConfig, &api.GetEffectiveConfigRequest{Name: model}).Text)
		m := Call(t, w.Models.GetModel, &api.GetModelRequest{Name: model})
		tell("shapes", fmt.Sprint(m.Inputs, m.Outputs, m.Backend, m.MaxBatchSize, m.FromEngine))
	}
	for _, request := range []*api.InferRequest{Sum(), drawing(), fewer(), seventh(), {Model: "digits"}} {
		r := Call(t, w.Try.Infer, request)
		tell("answer", fmt.Sprint(r.Ok, r.ModelVersion, r.Error, r.ErrorCode, r.Unanswered, prototext.Format(&api.InferResponse{Outputs: r.Outputs})))
	}
	Call(t, w.Models.Unload, &api.UnloadRequest{Name: "say_digit"})
	w.Until(t, "it is unloaded", func(s *Snapshot) bool { return s.State("say_digit") == api.ModelState_MODEL_STATE_UNLOADED })
	Call(t, w.Models.Load, &api.LoadRequest{Name: "say_digit"})
	w.Until(t, "a model is loaded there", func(s *Snapshot) bool { return s.State("say_digit") == api.ModelState_MODEL_STATE_READY })
	_, err := w.Models.Load(t.Context(), connect.NewRequest(&api.LoadRequest{Name: "nothing"}))
	tell("refused load", err)
	AwaitMetrics(t, w)
	return told
}

// drawing asks a Python model, whose answer has text, about an empty sheet.
func drawing() *api.InferRequest {
	sheet := &api.InferInput{Name: "IMAGE", Datatype: "UINT8", Shape: []int64{1, 28, 28}, Data: &api.InferInput_Raw{Raw: make([]byte, 28*28)}}
	return &api.InferRequest{Model: "say_digit", Inputs: []*api.InferInput{sheet}}
}

// seventh asks for a version that nobody has.
func seventh() *api.InferRequest {
	r := Sum()
	r.Version = 7
	return r
}

// fewer asks add_sub with one input where it has two.
func fewer() *api.InferRequest {
	r := Sum()
	r.Inputs = r.Inputs[:1]
	return r
}
