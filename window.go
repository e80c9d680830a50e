package main

import (
	"context"
	"fmt"
	"os"

	"conch/app"
	"conch/app/desktop"
	"conch/app/enginehost"
	"conch/app/single"
	"conch/app/visible"
	"conch/engine/memory"
	"conch/examples"
	"conch/frontend"
)

// windowCommand is `conch [REPOSITORY]`.
type windowCommand struct {
	Repository []string `arg:"" optional:"" help:"Model repository; several are shown as one."`
	Trust      bool     `help:"Run the code of REPOSITORY, such as Python models, without asking, as conch serve does. An answer given in the window counts more."`
	Attach     string   `placeholder:"SERVER" help:"Show what a Triton server elsewhere serves: grpc://HOST:PORT or http://HOST:PORT, with TLS grpcs:// or https://, or the name of a server that was added in the window. With REPOSITORY beside it."`
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
	if elsewhere, err := c.runsElsewhere(ctx); elsewhere {
		return err
	}
	ended, stop := untilSignal(ctx)
	defer stop()
	endAtLatest(ended, longestEnd, os.Exit)
	go memory.GiveBackAtRest(ended)
	return desktop.Run(desktop.Options{
		Files: frontend.Dist(), End: ended.Done(),
		Start: func() (*desktop.Backend, error) { return c.start(ctx) },
	})
}

func (c *windowCommand) start(ctx context.Context) (*desktop.Backend, error) {
	ports, err := c.ports()
	if err != nil {
		return nil, err
	}
	workbench, err := app.New(ctx, c.options(ports))
	if err != nil {
		return nil, err
	}
	return &desktop.Backend{
		API:       workbench.Handler(),
		Close:     workbench.Close,
		Risk:      workbench.Risk,
		Place:     workbench.WindowPlace(),
		SavePlace: workbench.SaveWindowPlace,
		Announce:  func(show func()) { workbench.Announce(nil, show) },
	}, nil
}

func (c *windowCommand) options(ports enginehost.Ports) app.Options {
	return app.Options{
		Repositories: c.Repository, Trust: c.Trust, Attach: c.Attach, Last: true, Examples: examples.Repository(), Ports: ports, Kind: single.Window, ViewFirst: true,
	}
}

// runsElsewhere reports when another Conch has the repository, and brings it to the front. It is an
// error where the other has only a part of the repository, or more, or does not answer.
func (c *windowCommand) runsElsewhere(ctx context.Context) (bool, error) {
	elsewhere := app.Elsewhere(ctx, c.options(enginehost.Ports{}))
	switch {
	case elsewhere == nil:
		return false, nil
	case elsewhere.Partly || elsewhere.Holder.Kind == "":
		return true, elsewhere
	}
	fmt.Printf("%s.\n", visible.Line(elsewhere.Error()))
	c.notFollowed()
	return true, nil
}
