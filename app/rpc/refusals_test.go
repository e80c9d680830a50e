package rpc_test

import (
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"conch/app/api"
	"conch/app/enginetest"
	"conch/engine/kserve/enginepb"
)

// What the engine says of refused requests reaches the window whole, and ends with the engine's stream.
func TestRefusals(t *testing.T) {
	sent := &enginepb.Refusals{
		Reset_: true, Removed: []uint64{3}, Forgotten: 9,
		Changed: []*enginepb.Refusal{{
			Id: 4, Port: "HTTP", Method: "POST", Path: "/v2/models/a/infer", Model: "a", Version: "1", Status: "400 Bad Request",
			Reason: "no", Count: 1204, FirstMs: 7, Alike: 2, Ran: true, Newest: []*enginepb.RefusedRequest{{TimeMs: 8, Client: "127.0.0.1:9", Id: "r"}},
		}},
	}
	c, _ := trying(t, &enginetest.Fake{OnRefusals: func(stream enginepb.Engine_WatchRefusalsServer) error { return stream.Send(sent) }})
	stream, err := c.WatchRefusals(t.Context(), connect.NewRequest(&api.WatchRefusalsRequest{}))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stream.Close() }()
	want := &api.WatchRefusalsResponse{
		Reset_: true, Removed: []uint64{3}, Forgotten: 9,
		Changed: []*api.Refusal{{
			Id: 4, Port: "HTTP", Method: "POST", Path: "/v2/models/a/infer", Model: "a", Version: "1", Status: "400 Bad Request",
			Reason: "no", Count: 1204, First: 7, Alike: 2, Ran: true, Newest: []*api.RefusedRequest{{Time: 8, Client: "127.0.0.1:9", Id: "r"}},
		}},
	}
	if !stream.Receive() || !proto.Equal(stream.Msg(), want) {
		t.Errorf("%v, want %v", protojson.Format(stream.Msg()), protojson.Format(want))
	}
	if stream.Receive() {
		t.Errorf("after the engine's stream: %v", stream.Msg())
	}
}
