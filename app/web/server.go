package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"syscall"
	"time"

	"conch/engine/framing"
)

// DefaultPort is used when no port was asked for and it is free.
const DefaultPort = 8008

// Options say what to serve and where. API and Files are required.
type Options struct {
	API   http.Handler // paths begin with /conch.v1.
	Files fs.FS        // index.html and what it loads
	// Address is the IP address to listen on; 127.0.0.1 when empty.
	Address string
	// Port is the port to listen on; 0 means DefaultPort, or a free one if that is taken.
	Port int
	// HeldBy returns who uses a port, as " by NAME (process 17)". It may be nil, and returns "" where
	// that is not known.
	HeldBy func(port int) string
	// TokenDir is the folder in which Token keeps the API's token; "" gives this server a token of its
	// own.
	TokenDir string
	// Patience is how long the server waits for clients; the zero value means the usual limits.
	Patience Patience
	Log      *slog.Logger
}

// Server is the workbench on a port.
type Server struct {
	listener net.Listener
	http     *http.Server
	key      *key
}

// Listen opens a port. No request is answered before Serve.
func Listen(opts Options) (*Server, error) {
	if opts.Address == "" {
		opts.Address = "127.0.0.1"
	}
	if opts.Log == nil {
		opts.Log = slog.Default()
	}
	if opts.Patience == (Patience{}) {
		opts.Patience = usualPatience
	}
	k, err := newKey(opts.TokenDir)
	if err != nil {
		return nil, err
	}
	listener, err := listen(opts)
	if err != nil {
		return nil, err
	}
	s := &Server{listener: listener, key: k}
	s.http = &http.Server{
		Handler:           impatient(opts.Patience, handler(opts, newGate(listener.Addr()), k)),
		ReadHeaderTimeout: opts.Patience.Header,
		IdleTimeout:       opts.Patience.Idle,
		ConnState:         newCrowd(mostConnections).state,
		ErrorLog:          slog.NewLogLogger(opts.Log.Handler(), slog.LevelDebug),
	}
	framing.Guard(s.http, nil)
	return s, nil
}

func listen(opts Options) (net.Listener, error) {
	want := opts.Port
	if want == 0 {
		want = DefaultPort
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(opts.Address, strconv.Itoa(want)))
	if opts.Port == 0 && errors.Is(err, syscall.EADDRINUSE) {
		listener, err = net.Listen("tcp", net.JoinHostPort(opts.Address, "0"))
	}
	if err != nil {
		return nil, refusal(opts, want, err)
	}
	return listener, nil
}

// refusal says why the server cannot listen on a port, and what to do.
func refusal(opts Options, port int, err error) error {
	var unknown *net.DNSError
	switch {
	case errors.As(err, &unknown):
		return fmt.Errorf("%q is not an IP address; give one that this machine has, such as 127.0.0.1", opts.Address)
	case errors.Is(err, syscall.EADDRINUSE):
		holder := " by another program"
		if opts.HeldBy != nil {
			holder = cmp.Or(opts.HeldBy(port), holder)
		}
		return fmt.Errorf("port %d is taken%s; choose another with --port, or leave --port out to get a free one", port, holder)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return fmt.Errorf("this machine has no address %s; give one that it has with --address, or leave --address out", opts.Address)
	case errors.Is(err, syscall.EACCES):
		return fmt.Errorf("port %d is not for ordinary users; choose one above 1023 with --port", port)
	}
	return fmt.Errorf("listen on %s: %w", net.JoinHostPort(opts.Address, strconv.Itoa(port)), err)
}

// URL returns what to open in a browser. It has the token, and everyone who has the token can use the
// workbench. The token is after the #, which browsers do not send: it is in no request, no log of a
// proxy and no Referer.
func (s *Server) URL() string {
	return (&url.URL{Scheme: "http", Host: s.host(), Path: "/", Fragment: "token=" + s.Token()}).String()
}

// host returns an address that a browser on this machine can open.
func (s *Server) host() string {
	addr, ok := s.listener.Addr().(*net.TCPAddr)
	if !ok || !addr.IP.IsUnspecified() {
		return s.listener.Addr().String()
	}
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(addr.Port))
}

// Listens returns the address and the port on which the server listens.
func (s *Server) Listens() string { return s.listener.Addr().String() }

// Token returns the token that the API requires now as "Authorization: Bearer TOKEN".
func (s *Server) Token() string {
	token, _ := s.key.now()
	return token
}

// Serve answers until ctx ends. Then it gives running calls a moment to finish.
func (s *Server) Serve(ctx context.Context) error {
	s.http.BaseContext = func(net.Listener) context.Context { return ctx } // ends the streams, which otherwise never end
	looking, stop := context.WithCancel(ctx)
	defer stop()
	go s.key.look(looking)
	failed := make(chan error, 1)
	go func() { failed <- s.http.Serve(framing.Listener(s.listener)) }() // ends with the server
	select {
	case err := <-failed:
		return fmt.Errorf("serve the workbench: %w", err)
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if s.http.Shutdown(grace) != nil {
		_ = s.http.Close()
	}
	<-failed
	return nil
}
