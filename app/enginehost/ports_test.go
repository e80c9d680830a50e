package enginehost

import (
	"net"
	"slices"
	"strconv"
	"testing"

	"conch/engine/kserve/enginepb"
)

func TestPortFlags(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	held := portOf(taken.Addr().String())
	was := boundPorts(&enginepb.Server{HttpAddress: "127.0.0.1:41000", GrpcAddress: "[::1]:" + strconv.Itoa(held)})
	for name, test := range map[string]struct {
		asked, last Ports
		want        []string
	}{
		"none asked for":            {Ports{}, Ports{}, []string{"--any-port"}},
		"none, after a restart":     {Ports{}, was, []string{"--any-port", "--http-port=41000", "--grpc-port=" + strconv.Itoa(held)}},
		"all asked for":             {Ports{HTTP: 1, GRPC: 2, Metrics: 3}, was, []string{"--http-port=1", "--grpc-port=2", "--metrics-port=3"}},
		"one, or any":               {Ports{GRPC: 2, Any: true}, Ports{}, []string{"--any-port", "--grpc-port=2"}},
		"some, of the others taken": {Ports{HTTP: 1, Metrics: 3}, was, []string{"--http-port=1", "--grpc-port=0", "--metrics-port=3"}},
	} {
		if got := test.asked.flags(test.last); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}
