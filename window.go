package main

import (
	"context"

	"conch/app"
	"conch/app/desktop"
	"conch/examples"
	"conch/frontend"
)

// windowCommand is `conch [REPOSITORY]`.
type windowCommand struct {
	Repository []string `arg:"" optional:"" help:"Model repository; several are shown as one."`
	enginePorts
}

// Run shows the window until it is closed.
func (c *windowCommand) Run(ctx context.Context) error {
	if !desktop.Available() {
		return desktop.ErrNotBuilt
	}
	if !frontend.Built() {
		return errNotBuilt
	}
	hangup, stop := untilHangup(ctx)
	defer stop()
	return desktop.Run(desktop.Options{
		Files: frontend.Dist(), End: hangup.Done(),
		Start: func() (*desktop.Backend, error) { return c.start(ctx) },
	})
}

func (c *windowCommand) start(ctx context.Context) (*desktop.Backend, error) {
	ports, err := c.ports()
	if err != nil {
		return nil, err
	}
	workbench, err := app.New(ctx, app.Options{Repositories: c.Repository, Last: true, Examples: examples.Repository(), Ports: ports})
	if err != nil {
		return nil, err
	}
	return &desktop.Backend{
		API:       workbench.Handler(),
		Close:     workbench.Close,
		Place:     workbench.WindowPlace(),
		SavePlace: workbench.SaveWindowPlace,
	}, nil
}
