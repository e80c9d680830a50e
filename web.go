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
	"conch/engine/serve"
	"conch/examples"
	"conch/frontend"
)

// webCommand is `conch web`.
type webCommand struct {
	Repository []string `arg:"" optional:"" help:"Model repository; several are shown as one."`
	Address    string   `placeholder:"127.0.0.1" help:"IP address to listen on. Clients that reach it need the token."`
	Port       int      `placeholder:"PORT" help:"Port of the workbench; 8008, or a free one where that is taken."`
	NewToken   bool     `name:"new-token" help:"Make a new token, also for the servers that run. Pages that have the old one ask for it."`
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
	endAtLatest(ctx, longestEnd, os.Exit)
	opts := app.Options{
		DataDir: app.DataDir(), Repositories: c.Repository, Last: true, Examples: examples.Repository(), Ports: ports, Kind: single.Web,
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

// begin returns the folder of the token, and what there is to say of a workbench that has the repository already; "" when none has.
func (c *webCommand) begin(ctx context.Context, opts app.Options) (tokens, running string, err error) {
	if tokens, err = c.tokens(opts.DataDir); err != nil {
		return "", "", err
	}
	if e := app.Elsewhere(ctx, opts); e != nil { // asked after the token is made: it answers with the newest
		running, err = c.elsewhere(e)
	}
	return tokens, running, err
}

// tokens is the folder of the user's token, which is made again where that was asked for, also for the servers that run
// already. Where no token can be kept, pages have to be opened again after a restart.
func (c *webCommand) tokens(dir string) (string, error) {
	_, err := web.Token(dir, c.NewToken)
	switch {
	case err == nil:
		return dir, nil
	case c.NewToken:
		return "", fmt.Errorf("no new token was made, and the old one still holds: %w", err)
	}
	fmt.Fprintf(os.Stderr, "conch: the address holds for this start only: %s\n", visible.Lines(err.Error()))
	return "", nil
}

// elsewhere says where the repository is open already: a page of a running server does what another would. It fails where
// that server is not at the address or the port that was asked for.
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
	return text, fmt.Errorf("the Conch that runs already is not started again for %s: %s. To serve the repository there, end process %d first",
		strings.Join(unmet, " and "), at, e.Holder.PID)
}

// unmet are the flags that a server does not fulfil which listens on an address and port already.
func (c *webCommand) unmet(listens string) (flags []string) {
	at, _ := netip.ParseAddrPort(listens) // the zero AddrPort is what nobody asks for
	if asked, err := netip.ParseAddr(c.Address); c.Address != "" && (err != nil || asked.Unmap() != at.Addr().Unmap()) {
		flags = append(flags, "--address "+c.Address)
	}
	if c.Port != 0 && c.Port != int(at.Port()) {
		flags = append(flags, "--port "+strconv.Itoa(c.Port))
	}
	return flags
}
