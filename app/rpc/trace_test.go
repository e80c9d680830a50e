package rpc

import (
	"testing"
	"time"

	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"

	"conch/app/api"
	"conch/engine/kserve/enginepb"
)

// The engine counts from the arrival of a request. The window counts from when it was sent.
func TestArrivalInTheTrace(t *testing.T) {
	begun := time.Unix(1000, 500)
	for _, c := range []struct {
		name    string
		arrived time.Time
		want    uint64
	}{
		{"on its way for a while", begun.Add(300 * time.Microsecond), 300_000},
		{"the clock was set back", begun.Add(-time.Second), 0},
	} {
		raw, err := proto.Marshal(&enginepb.RequestTrace{Span: &enginepb.Span{ReceivedUnixNs: c.arrived.UnixNano(), EndedNs: 7}})
		if err != nil {
			t.Fatal(err)
		}
		out := &api.InferResponse{}
		addTrace(out, metadata.Pairs(traceTrailer, string(raw)), begun)
		if out.Span.ReceivedNs != c.want || out.Span.EndedNs != 7 {
			t.Errorf("%s: received after %d ns, want %d; ended at %d", c.name, out.Span.ReceivedNs, c.want, out.Span.EndedNs)
		}
	}
}
