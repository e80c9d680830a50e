package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"conch/build/oracle/wire"
)

// wireOptions are the flags of the wire suite.
type wireOptions struct {
	play   bool
	on     string // addresses, with commas between
	real   bool
	record bool
	models string
}

// playWire plays the wire suite: on Conch, on the real server, or on one that somebody started.
func playWire(ctx context.Context, o options) error {
	if o.wire.models != "" {
		if err := wire.Lay(o.wire.models); err != nil {
			return err
		}
		fmt.Printf("The models are in %s. Start a server on them with these flags, then run make wire URL=HOST:PORT:\n%s\n",
			o.wire.models, strings.Join(wire.Common, " "))
		return nil
	}
	run := &wire.Run{Root: ".", Record: o.wire.record, Only: o.only, Out: os.Stdout}
	switch {
	case o.wire.on != "":
		ports := strings.Split(o.wire.on, ",")
		if len(ports) != 3 {
			return fmt.Errorf("%q is not three addresses, of HTTP, gRPC and the metrics", o.wire.on)
		}
		run.At = &wire.Server{HTTP: ports[0], GRPC: ports[1], Metrics: ports[2]}
	case o.wire.real:
		run.Program = wire.Program{Path: os.Getenv(tritonEnv), Real: true}
		if run.Program.Path == "" {
			return errors.New("set " + tritonEnv + " to a command that serves the real Triton")
		}
	default:
		path, err := filepath.Abs(o.conch)
		if err != nil {
			return fmt.Errorf("find conch: %w", err)
		}
		run.Program = wire.Program{Path: path}
	}
	return run.All(ctx)
}
