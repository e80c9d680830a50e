package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"conch/build/oracle/wire"
)

// wireOptions are the flags of the wire suite.
type wireOptions struct {
	play   bool
	on     string // the addresses of HTTP, gRPC and the metrics, with commas between
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
		at, err := addresses(o.wire.on)
		if err != nil {
			return err
		}
		run.At = at
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

// addresses reads those of a server's ports: HTTP, and gRPC and the metrics where they are not on the two ports behind it.
func addresses(text string) (*wire.Server, error) {
	given := append(strings.Split(text, ","), "", "")
	http := strings.TrimPrefix(given[0], "http://")
	host, digits, err := net.SplitHostPort(strings.TrimSuffix(http, "/"))
	port, number := strconv.Atoi(digits)
	if err != nil || number != nil {
		return nil, fmt.Errorf("%q is not the address of a server: write it as localhost:8000", given[0])
	}
	next := func(address string, by int) string {
		if address != "" {
			return address
		}
		return net.JoinHostPort(host, strconv.Itoa(port+by))
	}
	return &wire.Server{HTTP: next("", 0), GRPC: next(given[1], 1), Metrics: next(given[2], 2)}, nil
}
