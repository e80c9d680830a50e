package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"conch/app"
	"conch/app/enginehost"
	"conch/app/web"
	"conch/frontend"
)

// enginePorts are the flags for the engine's public ports, of the window and of `conch web`.
type enginePorts struct {
	HTTPPort    int `name:"http-port" placeholder:"PORT" help:"The engine's port for HTTP; 8000, or a free one where that is taken."`
	GRPCPort    int `name:"grpc-port" placeholder:"PORT" help:"The engine's port for gRPC; 8001, or a free one."`
	MetricsPort int `name:"metrics-port" placeholder:"PORT" help:"The engine's port for metrics; 8002, or a free one."`
}

func (p enginePorts) ports() enginehost.Ports {
	return enginehost.Ports{HTTP: p.HTTPPort, GRPC: p.GRPCPort, Metrics: p.MetricsPort}
}

// webCommand is `conch web`.
type webCommand struct {
	Repository []string `arg:"" optional:"" help:"Model repository; several are shown as one."`
	Address    string   `default:"127.0.0.1" help:"IP address to listen on. Whoever reaches it needs the token."`
	Port       int      `placeholder:"PORT" help:"Port of the workbench; 8008, or a free one where that is taken."`
	enginePorts
}

// errNotBuilt is why there is nothing to show.
var errNotBuilt = errors.New("this program was built without its user interface; `make build-headless` builds both")

// Run serves until a signal ends it.
func (c *webCommand) Run(ctx context.Context) error {
	if !frontend.Built() {
		return errNotBuilt
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	workbench, err := app.New(ctx, app.Options{Repositories: c.Repository, Ports: c.ports()})
	if err != nil {
		return err
	}
	server, err := web.Listen(web.Options{
		API: workbench.Handler(), Files: frontend.Dist(), Address: c.Address, Port: c.Port,
	})
	if err != nil {
		return errors.Join(err, workbench.Close())
	}
	fmt.Printf("Conch is at %s\nPress Ctrl C to end it.\n", server.URL())
	return errors.Join(server.Serve(ctx), workbench.Close())
}
