package enginetest

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"google.golang.org/grpc"

	"conch/engine/kserve/enginepb"
	"conch/engine/kserve/kservepb"
)

// Env makes a test binary that calls Main run as an engine instead of running its tests. Its value is
// passed to the configure function.
const Env = "CONCH_TEST_ENGINE"

// Serve serves the fake on a socket until the returned function is called.
func (f *Fake) Serve(socket string) (stop func(), err error) {
	listener, err := net.Listen("unix", socket)
	if err != nil {
		return nil, fmt.Errorf("listen on the private socket: %w", err)
	}
	server := grpc.NewServer()
	kservepb.RegisterGRPCInferenceServiceServer(server, f)
	enginepb.RegisterEngineServer(server, f)
	go func() { _ = server.Serve(listener) }() // ends with Stop
	return server.Stop, nil
}

// Main must be the first call in TestMain. In a process that was started as an engine it serves until
// its parent ends or SIGTERM arrives, and does not return.
func Main(configure func(f *Fake, mode string)) {
	mode, isEngine := os.LookupEnv(Env)
	if !isEngine {
		return
	}
	f := &Fake{}
	configure(f, mode)
	stop, err := f.Serve(flagValue("--private-socket"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		terminated <- syscall.SIGTERM
	}()
	<-terminated
	stop()
	os.Exit(0)
}

func flagValue(name string) string {
	for _, arg := range os.Args {
		if value, ok := strings.CutPrefix(arg, name+"="); ok {
			return value
		}
	}
	return ""
}
