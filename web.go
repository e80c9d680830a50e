package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"conch/app"
	"conch/app/single"
	"conch/app/web"
	"conch/engine/serve"
	"conch/examples"
	"conch/frontend"
)

// webCommand is `conch web`.
type webCommand struct {
	Repository []string `arg:"" optional:"" help:"Model repository; several are shown as one."`
	Address    string   `default:"127.0.0.1" help:"IP address to listen on. Whoever reaches it needs the token."`
	Port       int      `placeholder:"PORT" help:"Port of the workbench; 8008, or a free one where that is taken."`
	NewToken   bool     `name:"new-token" help:"Make a new token. Pages that have the old one ask for it."`
	enginePorts
}

// errNotBuilt is why there is nothing to show.
var errNotBuilt = errors.New("this program was built without its user interface; `make build-headless` builds both")

// Run serves until a signal ends it.
func (c *webCommand) Run(ctx context.Context) error {
	if !frontend.Built() {
		return errNotBuilt
	}
	ports, err := c.ports(portFlag{"--port", c.Port})
	if err != nil {
		return err
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	opts := app.Options{
		Repositories: c.Repository, Last: true, Examples: examples.Repository(), Ports: ports, Kind: single.Web,
	}
	if elsewhere := app.Elsewhere(ctx, opts); elsewhere != nil {
		return sayElsewhere(elsewhere)
	}
	workbench, err := app.New(ctx, opts)
	if err != nil {
		return err
	}
	server, err := web.Listen(web.Options{
		API: workbench.Handler(), Files: frontend.Dist(), Address: c.Address, Port: c.Port, HeldBy: serve.HeldBy, Token: c.token(),
	})
	if err != nil {
		return errors.Join(err, workbench.Close())
	}
	workbench.Announce(server.URL(), nil)
	fmt.Printf("Conch is at %s\nPress Ctrl C to end it.\n", server.URL())
	return errors.Join(server.Serve(ctx), workbench.Close())
}

// token is the user's; where it cannot be kept, pages have to be opened anew after a restart.
func (c *webCommand) token() string {
	token, err := web.Token(app.DataDir(), c.NewToken)
	if err != nil {
		fmt.Fprintf(os.Stderr, "conch: the address holds for this start only: %v\n", err)
	}
	return token
}

// sayElsewhere says where the repository is open already: a page of a running server does what another would.
func sayElsewhere(e *single.ElsewhereError) error {
	switch {
	case e.Holder.Kind == single.Web:
		fmt.Printf("Conch is at %s\nIt was running already (process %d).\n", e.Holder.URL, e.Holder.PID)
	case e.Holder.Kind == single.Window:
		fmt.Printf("%v.\n", e)
	default:
		return e
	}
	return nil
}
