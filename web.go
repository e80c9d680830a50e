package main

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"strconv"
	"strings"

	"conch/app"
	"conch/app/single"
	"conch/app/visible"
	"conch/app/web"
	"conch/engine/memory"
	"conch/engine/serve"
	"conch/engine/userdir"
	"conch/examples"
	"conch/frontend"
)

// webCommand is `conch web`.
type webCommand struct {
	Repository []string `arg:"" optional:"" help:"Model repository; several are shown as one."`
	Trust      bool     `help:"Run the code of REPOSITORY, such as Python models, without asking, as conch serve does. An answer given in the window counts more."`
	Attach     string   `placeholder:"SERVER" help:"Show what a Triton server elsewhere serves: grpc://HOST:PORT or http://HOST:PORT, with TLS grpcs:// or https://, or the name of a server that was added in the window. With REPOSITORY beside it."`
	Address    string   `placeholder:"127.0.0.1" help:"IP address to listen on. Clients that reach it need the token."`
	Port       int      `placeholder:"PORT" help:"Port of the workbench. Default: 8008, or a free one if that is taken."`
	NewToken   bool     `name:"new-token" help:"Make a new token, also for the running servers. Pages with the old token ask for the new one."`
	enginePorts
}

// errNotBuilt means that this build has no page to show.
var errNotBuilt = errors.New("this program was built without its user interface; `make build-headless` builds both")

// Run serves until it gets a signal to end.
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
	endAtLatest(ctx, longestEnd, os.Exit)
	go memory.GiveBackAtRest(ctx)
	opts := app.Options{
		DataDir: userdir.Data(), Repositories: c.Repository, Trust: c.Trust, Attach: c.Attach, Last: true, Examples: examples.Repository(), Ports: ports, Kind: single.Web,
	}
	tokens, running, err := c.begin(ctx, opts)
	fmt.Print(running)
	if err != nil || running != "" {
		return err
	}
	workbench, err := app.New(ctx, opts)
	if err != nil {
		return err
	}
	server, err := web.Listen(web.Options{
		API: workbench.Handler(), Files: frontend.Dist(), Address: c.Address, Port: c.Port, HeldBy: serve.HeldBy, TokenDir: tokens,
	})
	if err != nil {
		return errors.Join(err, workbench.Close())
	}
	workbench.Announce(func() single.Address { return single.Address{URL: server.URL(), Listens: server.Listens()} }, nil)
	fmt.Printf("Conch is at %s\nPress Ctrl C to end it.\n", server.URL())
	return errors.Join(server.Serve(ctx), workbench.Close())
}

// begin returns the folder of the token, and what to print about a workbench that already has the
// repository; "" when none has it.
func (c *webCommand) begin(ctx context.Context, opts app.Options) (tokens, running string, err error) {
	if tokens, err = c.tokens(opts.DataDir); err != nil {
		return "", "", err
	}
	if e := app.Elsewhere(ctx, opts); e != nil { // after the token is made, so that the answer has the newest
		running, err = c.elsewhere(e)
	}
	return tokens, running, err
}

// tokens returns the folder of the user's token. It makes a new token where that was asked for, also
// for the running servers. Where no token can be stored, pages must be opened again after a restart.
func (c *webCommand) tokens(dir string) (string, error) {
	_, err := web.Token(dir, c.NewToken)
	switch {
	case err == nil:
		return dir, nil
	case c.NewToken:
		return "", fmt.Errorf("no new token was made, and the old one is still valid: %w", err)
	}
	fmt.Fprintf(os.Stderr, "conch: the address is valid for this start only: %s\n", visible.Lines(err.Error()))
	return "", nil
}

// elsewhere says where the repository is open already. A page of that server is as good as one of a
// new server. It fails where that server does not have the address or the port that was asked for.
func (c *webCommand) elsewhere(e *single.ElsewhereError) (text string, err error) {
	if e.Partly {
		return "", e
	}
	switch e.Holder.Kind {
	case single.Web:
		text = fmt.Sprintf("Conch is at %s\nIt was running already (process %d).\n", e.Holder.URL, e.Holder.PID)
	case single.Window:
		text = visible.Line(e.Error()) + ".\n"
	default:
		return "", e
	}
	c.notFollowed()
	unmet := c.unmet(e.Holder.Listens)
	if len(unmet) == 0 {
		return text, nil
	}
	at := "it listens on " + e.Holder.Listens
	if e.Holder.Kind == single.Window {
		at = "it has a window, and listens nowhere"
	}
	return text, fmt.Errorf("another Conch runs already, and is not started again for %s: %s. To serve the repository there, end process %d first",
		strings.Join(unmet, " and "), at, e.Holder.PID)
}

// unmet lists the flags that a running server with this address and port does not fulfil.
func (c *webCommand) unmet(listens string) (flags []string) {
	at, _ := netip.ParseAddrPort(listens) // the zero AddrPort fulfils no flag
	if asked, err := netip.ParseAddr(c.Address); c.Address != "" && (err != nil || asked.Unmap() != at.Addr().Unmap()) {
		flags = append(flags, "--address "+c.Address)
	}
	if c.Port != 0 && c.Port != int(at.Port()) {
		flags = append(flags, "--port "+strconv.Itoa(c.Port))
	}
	return flags
}
