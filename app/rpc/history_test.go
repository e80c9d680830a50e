package rpc_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"conch/app/api"
	"conch/app/apptest"
	"conch/app/enginetest"
	"conch/engine/kserve/kservepb"
)

// The pictures that a tensor was made of come back with their request, also where the tensor is too large to be kept.
func TestPicturesOfARequest(t *testing.T) {
	c, _ := trying(t, &enginetest.Fake{OnInfer: func(context.Context, *kservepb.ModelInferRequest) (*kservepb.ModelInferResponse, error) {
		return answer("a", "UINT8", []byte{1}), nil
	}})
	photo, ink := bytes.Repeat([]byte("photo"), 1<<20), []byte{1, 2, 3, 4}
	pictures := &api.Pictures{Conversion: `{"width":2}`, List: []*api.Picture{
		{Name: "p.jpg", MediaType: "image/jpeg", Content: photo, Size: uint64(len(photo)), Width: 5, Height: 4},
		{Content: ink, Size: 4, Width: 2, Height: 2},
		{Name: "huge.png", Size: 1 << 40},
	}}
	sent := &api.InferRequest{Model: "m", Inputs: []*api.InferInput{{
		Name: "x", Datatype: "UINT8", Shape: []int64{3 << 20}, Data: &api.InferInput_Raw{Raw: make([]byte, 3<<20)}, Pictures: pictures,
	}}}
	out, err := apptest.Try{TryServiceClient: c}.Infer(t.Context(), connect.NewRequest(sent))
	if err != nil {
		t.Fatal(err)
	}
	kept := apptest.Call(t, c.GetHistory, &api.GetHistoryRequest{Id: out.Msg.HistoryId})
	if in := kept.Request.Inputs[0]; in.Data != nil || !proto.Equal(in.Pictures, pictures) {
		t.Errorf("the history has %d bytes of values, and %d pictures", len(in.GetRaw()), len(in.GetPictures().GetList()))
	}
	if want := "x (p.jpg and 1 more) UINT8 [3145728] -> a UINT8 [1]"; kept.Entry.Summary != want {
		t.Errorf("it is called %q, want %q", kept.Entry.Summary, want)
	}
}

// Of a client that sends more pictures than the window does, those are kept that fit. The pictures of an input are kept together.
func TestTooManyPictures(t *testing.T) {
	c, _ := trying(t, &enginetest.Fake{OnInfer: func(context.Context, *kservepb.ModelInferRequest) (*kservepb.ModelInferResponse, error) {
		return answer("a", "UINT8", []byte{1}), nil
	}})
	sent := &api.InferRequest{Model: "m"}
	for _, sizes := range [][]int{{9 << 20}, {4 << 20, 4 << 20}, {7 << 20}} {
		in := &api.InferInput{Name: "x", Datatype: "UINT8", Shape: []int64{1}, Data: &api.InferInput_Raw{Raw: []byte{1}}, Pictures: &api.Pictures{}}
		for _, size := range sizes {
			in.Pictures.List = append(in.Pictures.List, &api.Picture{Name: "p.png", Size: uint64(size), Content: bytes.Repeat([]byte{byte(size >> 20)}, size)})
		}
		sent.Inputs = append(sent.Inputs, in)
	}
	out, err := apptest.Try{TryServiceClient: c}.Infer(t.Context(), connect.NewRequest(sent))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range sent.Inputs[1].Pictures.List {
		p.Content = nil
	}
	kept := apptest.Call(t, c.GetHistory, &api.GetHistoryRequest{Id: out.Msg.HistoryId}).Request
	for i, in := range sent.Inputs {
		if got := kept.Inputs[i].Pictures; !proto.Equal(got, in.Pictures) {
			t.Errorf("input %d has pictures of %d bytes", i, proto.Size(got))
		}
	}
}

// A request is in the history once it has ended.
func TestHistoryWhileARequestRuns(t *testing.T) {
	running, goOn := make(chan struct{}), make(chan struct{})
	c, _ := trying(t, &enginetest.Fake{OnInfer: func(context.Context, *kservepb.ModelInferRequest) (*kservepb.ModelInferResponse, error) {
		close(running)
		<-goOn
		return answer("a", "UINT8", []byte{1}), nil
	}})
	listed := func() int { return len(apptest.Call(t, c.ListHistory, &api.ListHistoryRequest{}).Entries) }
	answered := make(chan []*api.InferResponse)
	go func() { answered <- ask(t, c) }()
	<-running
	if n := listed(); n != 0 {
		t.Errorf("%d are listed while it runs", n)
	}
	close(goOn)
	out := <-answered
	if kept := apptest.Call(t, c.GetHistory, &api.GetHistoryRequest{Id: out[0].HistoryId}); !kept.Response.Ok || listed() != 1 {
		t.Errorf("the history has %d, and %v", listed(), kept)
	}
}

// A stream that its engine does not end is no refusal, and says what it had.
func TestStreamIsLost(t *testing.T) {
	c, stop := trying(t, &enginetest.Fake{OnConfig: decoupledConfig, OnStream: func(stream kservepb.GRPCInferenceService_ModelStreamInferServer) error {
		if err := stream.Send(&kservepb.ModelStreamInferResponse{InferResponse: answer("a", "UINT8", []byte{1})}); err != nil {
			return err
		}
		<-stream.Context().Done()
		return stream.Context().Err()
	}})
	all := askAnd(t, c, func(out *api.InferResponse) {
		if out.Partial {
			stop()
		}
	})
	if end := all[len(all)-1]; !end.Unanswered || !strings.HasPrefix(end.Error, "The engine ended before its last answer.") {
		t.Errorf("%v", end)
	}
}

// An engine that ends gives its requests up, which is told in words; the words of a model stay.
func TestEngineGivesUp(t *testing.T) {
	for said, want := range map[string]string{
		"context canceled":            "The engine was stopped before it answered.",
		"infer: context canceled":     "The engine was stopped before it answered.",
		"the model cancelled the job": "the model cancelled the job",
	} {
		c, _ := trying(t, &enginetest.Fake{OnInfer: func(context.Context, *kservepb.ModelInferRequest) (*kservepb.ModelInferResponse, error) {
			return nil, status.Error(codes.Canceled, said)
		}})
		if out := ask(t, c)[0]; out.Error != want || out.Unanswered != (want != said) {
			t.Errorf("%s: %v", said, out)
		}
	}
}
