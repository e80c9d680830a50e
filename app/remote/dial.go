package remote

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"math"
	"net/url"
	"os"
	"path"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"conch/app/pulse"
	"conch/app/remote/rest"
	"conch/engine/kserve/kservepb"
)

// Deadlines of calls that bring none of their own. A request of a person may take long, and can be
// stopped.
const (
	askFor    = 10 * time.Second
	unloadFor = 2 * time.Minute
	loadFor   = 10 * time.Minute
	inferFor  = 10 * time.Minute
	streamFor = time.Hour
)

// tlsConfig reads the certificates.
func (o Options) tlsConfig() (*tls.Config, error) {
	cfg := &tls.Config{MinVersion: tls.VersionTLS12}
	if o.CAFile != "" {
		pem, err := os.ReadFile(o.CAFile)
		if err != nil {
			return nil, fmt.Errorf("read the certificates that the server is checked with: %w", err)
		}
		cfg.RootCAs = x509.NewCertPool()
		if !cfg.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s has no certificate in PEM form", o.CAFile)
		}
	}
	if o.CertFile != "" {
		pair, err := tls.LoadX509KeyPair(o.CertFile, o.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("read the client certificate: %w", err)
		}
		cfg.Certificates = []tls.Certificate{pair}
	}
	return cfg, nil
}

// road is a way to a server.
type road interface {
	grpc.ClientConnInterface
	Close() error
	// ResetConnectBackoff lets the next call try to connect at once.
	ResetConnectBackoff()
}

// dial prepares a connection. Nothing is sent before the first call.
func (o Options) dial(p *pulse.Pulse) (road, error) {
	at, err := o.address()
	if err != nil {
		return nil, err
	}
	var cfg *tls.Config
	if at.secure() {
		if cfg, err = o.tlsConfig(); err != nil {
			return nil, err
		}
	}
	if at.isHTTP() {
		base, err := url.Parse(at.String())
		if err != nil {
			return nil, fmt.Errorf("connect to %s: %w", o.Address, err)
		}
		return guided{rest.New(base, cfg, connectFor), o, p}, nil
	}
	return o.dialGRPC(at, cfg, p)
}

func (o Options) dialGRPC(at address, cfg *tls.Config, p *pulse.Pulse) (road, error) {
	secrets := insecure.NewCredentials()
	if cfg != nil {
		secrets = credentials.NewTLS(cfg)
	}
	conn, err := grpc.NewClient("dns:///"+at.hostPort(),
		grpc.WithTransportCredentials(secrets),
		grpc.WithChainUnaryInterceptor(o.unary, p.Unary), grpc.WithChainStreamInterceptor(o.stream, p.Stream),
		grpc.WithDisableServiceConfig(),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32), grpc.MaxCallSendMsgSize(math.MaxInt32)),
		grpc.WithConnectParams(grpc.ConnectParams{
			MinConnectTimeout: connectFor,
			Backoff:           backoff.Config{BaseDelay: time.Second, Multiplier: 1.6, Jitter: 0.2, MaxDelay: longestWait},
		}),
	)
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", o.Address, err)
	}
	return conn, nil
}

// guided is the road over HTTP, with the headers and deadlines of the options. gRPC has its own chain.
type guided struct {
	*rest.Conn
	opts  Options
	pulse *pulse.Pulse
}

func (g guided) Invoke(ctx context.Context, method string, args, reply any, opts ...grpc.CallOption) error {
	last := func(ctx context.Context, method string, args, reply any, _ *grpc.ClientConn, opts ...grpc.CallOption) error {
		return g.Conn.Invoke(ctx, method, args, reply, opts...)
	}
	inner := func(ctx context.Context, method string, args, reply any, _ *grpc.ClientConn, opts ...grpc.CallOption) error {
		return g.pulse.Unary(ctx, method, args, reply, nil, last, opts...)
	}
	return g.opts.unary(ctx, method, args, reply, nil, inner, opts...)
}

// connectFor is how long one attempt to connect may take, with TLS.
const connectFor = 5 * time.Second

// withHeaders adds the headers of the server to a call.
func (o Options) withHeaders(ctx context.Context) context.Context {
	for _, h := range o.Headers {
		ctx = metadata.AppendToOutgoingContext(ctx, h.Name, h.Value)
	}
	return ctx
}

func (o Options) unary(ctx context.Context, method string, req, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	if _, has := ctx.Deadline(); !has {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, deadlineOf(path.Base(method)))
		defer cancel()
	}
	if path.Base(method) != "ModelInfer" {
		opts = append(opts, grpc.MaxCallRecvMsgSize(rest.MostFacts))
	}
	return o.conceal(invoke(o.withHeaders(ctx), method, req, reply, conn, opts...))
}

// conceal takes values of headers out of an error: a server may repeat what it was sent.
func (o Options) conceal(err error) error {
	st, ok := status.FromError(err)
	if err == nil || !ok {
		return err
	}
	text := o.concealed(st.Message())
	if text == st.Message() {
		return err
	}
	return status.Error(st.Code(), text)
}

// concealed returns a text of a server without values of headers.
func (o Options) concealed(text string) string {
	for _, h := range o.Headers {
		for _, secret := range append(strings.Fields(h.Value), h.Value) {
			if len(secret) >= shortestSecret {
				text = strings.ReplaceAll(text, secret, "…")
			}
		}
	}
	return text
}

// shortestSecret keeps ordinary words in errors, such as Bearer.
const shortestSecret = 8

func deadlineOf(method string) time.Duration {
	switch method {
	case "ModelInfer":
		return inferFor
	case "RepositoryModelLoad":
		return loadFor
	case "RepositoryModelUnload":
		return unloadFor
	}
	return askFor
}

// errStreamLong ends a stream that nobody ended.
var errStreamLong = errors.New("the stream was open for an hour")

func (o Options) stream(ctx context.Context, desc *grpc.StreamDesc, conn *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	// The timer ends with the caller's context, which every caller of a stream cancels.
	ctx, cancel := context.WithTimeoutCause(ctx, streamFor, errStreamLong)
	context.AfterFunc(ctx, cancel)
	s, err := open(o.withHeaders(ctx), desc, conn, method, opts...)
	if err != nil {
		return nil, o.conceal(err)
	}
	return concealing{s, o}, nil
}

// concealing is a stream whose errors have no values of headers, as those of other calls.
type concealing struct {
	grpc.ClientStream
	of Options
}

func (s concealing) Header() (metadata.MD, error) {
	md, err := s.ClientStream.Header()
	return md, s.of.conceal(err)
}

func (s concealing) CloseSend() error { return s.of.conceal(s.ClientStream.CloseSend()) }

func (s concealing) SendMsg(m any) error { return s.of.conceal(s.ClientStream.SendMsg(m)) }

func (s concealing) RecvMsg(m any) error {
	err := s.of.conceal(s.ClientStream.RecvMsg(m))
	if answer, ok := m.(*kservepb.ModelStreamInferResponse); ok {
		answer.ErrorMessage = s.of.concealed(answer.ErrorMessage)
	}
	return err
}
