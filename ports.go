package main

import (
	"fmt"
	"os"

	"conch/app/enginehost"
)

// enginePorts are the flags for the engine's public ports, of the window and of `conch web`.
type enginePorts struct {
	HTTPPort    int  `name:"http-port" placeholder:"PORT" help:"The engine's port for HTTP. Default: ${http_port}, or a free one if that is taken."`
	GRPCPort    int  `name:"grpc-port" placeholder:"PORT" help:"The engine's port for gRPC. Default: ${grpc_port}, or a free one."`
	MetricsPort int  `name:"metrics-port" placeholder:"PORT" help:"The engine's port for metrics. Default: ${metrics_port}, or a free one."`
	AnyPort     bool `name:"any-port" help:"Use a free port if a requested port is taken."`
}

// ports checks the requested ports, together with the workbench's own port, before anything is
// started.
func (p enginePorts) ports(own ...portFlag) (enginehost.Ports, error) {
	asked := enginehost.Ports{HTTP: p.HTTPPort, GRPC: p.GRPCPort, Metrics: p.MetricsPort, Any: p.AnyPort}
	all := append(own, portFlag{"--http-port", p.HTTPPort}, portFlag{"--grpc-port", p.GRPCPort}, portFlag{"--metrics-port", p.MetricsPort})
	return asked, checkPorts(all...)
}

// notFollowed warns about ports that were given to a start that only shows a running workbench.
func (p enginePorts) notFollowed() {
	for _, f := range []portFlag{{"--http-port", p.HTTPPort}, {"--grpc-port", p.GRPCPort}, {"--metrics-port", p.MetricsPort}} {
		if f.number != 0 {
			fmt.Fprintf(os.Stderr, "conch: %s %d was ignored: the engine runs already, on the ports that the window shows\n", f.flag, f.number)
		}
	}
}

// portFlag is a port of the command line; 0 when it was not given.
type portFlag struct {
	flag   string
	number int
}

// checkPorts refuses numbers that are not ports, and one port for two uses.
func checkPorts(list ...portFlag) error {
	for i, b := range list {
		if b.number < 0 || b.number > 65535 {
			return fmt.Errorf("%s is %d: a port is a number from 1 to 65535", b.flag, b.number)
		}
		for _, a := range list[:i] {
			if a.number == b.number && b.number != 0 {
				return fmt.Errorf("%s and %s are both %d: each needs a port of its own", a.flag, b.flag, b.number)
			}
		}
	}
	return nil
}
