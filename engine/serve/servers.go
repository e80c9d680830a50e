package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"google.golang.org/grpc"

	"conch/engine"
	"conch/engine/framing"
	"conch/engine/kserve/engineapi"
	"conch/engine/kserve/grpcapi"
	"conch/engine/kserve/httpapi"
	"conch/engine/kserve/httpapi/shortcut"
	"conch/engine/kserve/metricsapi"
	"conch/engine/kserve/refusals"
	"conch/engine/kserve/tracing"
	"conch/engine/option"
	"conch/engine/origin"
)

// servers are the endpoints of a process.
type servers struct {
	log     *slog.Logger
	engine  *engine.Engine
	running sync.WaitGroup
	http    []httpServer
	grpc    []*grpcapi.Server
	private *engineapi.Server
	// refusals keeps what the public ports refuse; nil without a private socket, where nobody could read it.
	refusals *refusals.Log
	opened   []net.Listener
}

// httpServer is an http.Server, or one that is in front of it.
type httpServer interface {
	Serve(l net.Listener) error
	Shutdown(ctx context.Context) error
	Close() error
}

// open opens every endpoint of the flags, and serves at once, when the workbench is there: it shows how models load.
// Without it the ports are only tried, so that a taken one ends the start at once. Then await opens them.
func open(f *Flags, e *engine.Engine, settings settings) (*servers, error) {
	s := &servers{log: settings.engine.Log, engine: e}
	if f.PrivateSocket == "" {
		return s, s.try(f)
	}
	if err := s.openAll(f, settings); err != nil {
		s.closeListeners()
		return nil, err
	}
	return s, nil
}

// try finds out whether the public ports can be opened. No client is let in.
func (s *servers) try(f *Flags) error {
	endpoints := f.endpoints()
	if err := checkPorts(endpoints[:]); err != nil {
		return err
	}
	for _, e := range endpoints {
		if e.name == "" {
			continue
		}
		at, err := e.try()
		if err != nil {
			return err
		}
		if _, err := guardOf(at, f.AllowOrigin); err != nil {
			return err
		}
	}
	return nil
}

// await waits until ctx or the engine ends. Ports that are not open yet are opened when the models of the start are
// loaded (docs/triton/loading.md, "Ports").
func (s *servers) await(ctx context.Context, f *Flags, o settings, ended chan error) error {
	started := s.engine.Started()
	if f.PrivateSocket != "" {
		started = nil
	}
	for {
		select {
		case <-started:
			started = nil
			s.log.Info(modelTable(s.engine.Index(false), s.engine.WithoutVersion()))
			if err := s.openAll(f, o); err != nil {
				return err
			}
		case <-ctx.Done():
			s.log.Info("Waiting for in-flight requests to complete.")
			return nil
		case err := <-ended:
			ended <- nil // for the one who waits for the end
			s.log.Error(exitText(err))
			return err
		}
	}
}

func (s *servers) openAll(f *Flags, o settings) error {
	listeners, err := s.listen(f)
	if err != nil {
		return err
	}
	if f.PrivateSocket != "" {
		s.refusals = new(refusals.Log)
	}
	o.http.Refusals, o.grpc.Refusals = s.refusals, s.refusals
	var at engineapi.Addresses
	if l := listeners[1]; l != nil {
		at.GRPC = l.Addr().String()
		s.serveGRPC(l, grpcapi.NewServer(s.engine, o.grpc), "GRPCInferenceService")
	}
	if l := listeners[0]; l != nil {
		at.HTTP = l.Addr().String()
		if o.httpTLS != nil {
			l = tls.NewListener(l, o.httpTLS)
		}
		server := httpapi.NewServer(s.engine, o.http)
		if err := s.serveHTTP(l, server, shortcut.Over(server, o.http.Memory), "HTTP", "HTTPService", f.AllowOrigin); err != nil {
			return err
		}
	}
	if l := listeners[2]; l != nil {
		at.Metrics = l.Addr().String()
		server := metricsapi.NewServer(s.engine, o.metrics)
		if err := s.serveHTTP(framing.Listener(l), server, server, "metrics", "Metrics Service", f.AllowOrigin); err != nil {
			return err
		}
	}
	return s.openPrivate(f.PrivateSocket, at, o.grpc)
}

// listen opens the public ports; a port that is switched off is nil.
func (s *servers) listen(f *Flags) (listeners [3]net.Listener, err error) {
	endpoints := f.endpoints()
	if err := checkPorts(endpoints[:]); err != nil {
		return listeners, err
	}
	each, metrics := connectionsFor(f.MaxConnections, openFiles())
	for i, e := range endpoints {
		if e.name == "" {
			continue
		}
		l, err := e.listen()
		if err != nil {
			return listeners, err
		}
		if i == 2 {
			each = metrics
		}
		l = limitTo(l, each)
		s.opened = append(s.opened, l)
		listeners[i] = l
	}
	return listeners, nil
}

// endpoints returns the public ports; a port that is switched off has no name.
func (f *Flags) endpoints() [3]endpoint {
	var list [3]endpoint
	if f.AllowHTTP {
		list[0] = endpoint{"HTTP", "--http-port", f.HTTPAddress, f.HTTPPort, f.AnyPort}
	}
	if f.AllowGRPC {
		list[1] = endpoint{"gRPC", "--grpc-port", f.GRPCAddress, f.GRPCPort, f.AnyPort}
	}
	if f.AllowMetrics {
		address := f.MetricsAddress
		if address == "" {
			address = f.HTTPAddress
		}
		list[2] = endpoint{"metrics", "--metrics-port", address, f.MetricsPort, f.AnyPort}
	}
	return list
}

func (s *servers) openPrivate(path string, at engineapi.Addresses, o grpcapi.Options) error {
	if path == "" {
		return nil
	}
	l, err := listenPrivately(path)
	if err != nil {
		return err
	}
	s.opened = append(s.opened, l)
	// Only the workbench connects here, and what it has refused it knows.
	o.Restricted, o.Compress, o.Keepalive, o.TLS, o.Kept, o.Refusals = nil, nil, option.Keepalive{}, nil, new(tracing.Kept), nil
	s.private = engineapi.New(s.engine, at, o.Kept, s.refusals)
	server := grpcapi.NewServer(s.engine, o)
	s.private.Register(server.Server)
	s.serveGRPC(l, server, "private service")
	return nil
}

// serveHTTP serves all clients except web pages whose site is not in allow. gRPC needs no such check: a browser
// cannot open a gRPC connection.
func (s *servers) serveHTTP(l net.Listener, server *http.Server, front httpServer, port, name string, allow []string) error {
	guard, err := guardOf(l.Addr(), allow)
	if err != nil {
		return err
	}
	guard.Refused = func(r *http.Request, status int, reason string) {
		s.refusals.AddHTTP(port, r, status, refusals.Refusal{Reason: reason})
	}
	server.Handler = guard.Wrap(server.Handler)
	framing.Guard(server, guard.Refused)
	server.ErrorLog = slog.NewLogLogger(s.log.Handler(), slog.LevelDebug)
	s.http = append(s.http, front)
	s.running.Go(func() {
		if err := front.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			s.log.Error(name+" ended", "error", err)
		}
	})
	s.log.Info(fmt.Sprintf("Started %s at %s", name, l.Addr()))
	return nil
}

func guardOf(at net.Addr, allow []string) (*origin.Guard, error) {
	guard, err := origin.NewGuard(at, allow)
	if err != nil {
		return nil, fmt.Errorf("--http-allow-origin: %w", err)
	}
	return guard, nil
}

func (s *servers) serveGRPC(l net.Listener, server *grpcapi.Server, name string) {
	s.grpc = append(s.grpc, server)
	s.running.Go(func() {
		if err := server.Serve(l); err != nil && !errors.Is(err, grpc.ErrServerStopped) {
			s.log.Error(name+" ended", "error", err)
		}
	})
	s.log.Info(fmt.Sprintf("Started %s at %s", name, l.Addr()))
}

func (s *servers) closeListeners() {
	for _, l := range s.opened {
		l.Close()
	}
	s.opened = nil
}

// lastReplies is how long sending an answer may take after the model has returned it.
const lastReplies = 50 * time.Millisecond

// lastBytes is how long what is sent already may take to leave. Only a call that does not end, such as one that watches the health,
// makes the end so late.
const lastBytes = 2 * time.Second

// close stops accepting requests, waits for the running ones until ctx ends, and closes all connections. An
// idle connection does not delay the end.
func (s *servers) close(ctx context.Context) {
	if s.private != nil {
		s.private.Close()
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.shutDown(ctx)
	}()
	idle := time.NewTicker(lastReplies)
	defer idle.Stop()
	for quiet := 0; quiet < 2; { // the first look may come just after the last answer
		select {
		case <-ended:
			quiet = 2
		case <-ctx.Done():
			quiet = 2
		case <-idle.C:
			if quiet++; s.busy() {
				quiet = 0
			}
		}
	}
	for _, server := range s.http {
		server.Close()
	}
	for _, server := range s.grpc {
		server.EndStreams()
	}
	select {
	case <-ended:
	case <-ctx.Done():
	case <-time.After(lastBytes):
	}
	for _, server := range s.grpc {
		server.Stop()
	}
	<-ended
	s.running.Wait()
}

// busy reports whether models run requests, or streams have answers to send.
func (s *servers) busy() bool {
	return s.engine.InFlight() > 0 || slices.ContainsFunc(s.grpc, func(server *grpcapi.Server) bool { return server.Unsent() > 0 })
}

func (s *servers) shutDown(ctx context.Context) {
	var all sync.WaitGroup
	for _, server := range s.http {
		all.Go(func() { _ = server.Shutdown(ctx) }) // the rest is closed after it
	}
	for _, server := range s.grpc {
		all.Go(server.GracefulStop)
	}
	all.Wait()
}
