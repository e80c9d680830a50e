package rpc_test

import (
	"bytes"
	"context"
	"testing"

	"connectrpc.com/connect"
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
}
