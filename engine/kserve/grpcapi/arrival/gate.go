package arrival

import (
	"context"
	"crypto/tls"
	"net"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/tap"

	"conch/engine/budget"
)

// Options are a gate's settings.
type Options struct {
	// Memory counts the bytes that have arrived and are not read yet; nil sets no bound.
	Memory *budget.Budget
	// Patience is how long a client may take for the start of its connection, and then for each further part of a message.
	Patience time.Duration
	// TLS is the setting of connections with TLS; nil for plain ones.
	TLS *tls.Config
	// Service is the path of the methods whose handlers use Of, with a slash at the end. Messages to other services
	// are small.
	Service string
	// Status converts an error to the status that clients get.
	Status func(error) *status.Status
	// Over returns what is watched in place of a client's connection; nil for the connection itself.
	Over func(net.Conn, credentials.AuthInfo) net.Conn
}

// Gate watches the connections of one server.
type Gate struct{ Options }

// ServerOptions returns the options of a server with a gate.
func ServerOptions(o Options) []grpc.ServerOption {
	g := &Gate{o}
	return []grpc.ServerOption{
		grpc.Creds(g.credentials()),
		grpc.InTapHandle(g.tap),
		grpc.ConnectionTimeout(o.Patience),
	}
}

func (g *Gate) credentials() credentials.TransportCredentials {
	if g.TLS != nil {
		return handshake{credentials.NewTLS(g.TLS), g}
	}
	return handshake{insecure.NewCredentials(), g}
}

// handshake replaces a connection with a watched one: gRPC allows that in its handshake. What is watched is what TLS
// has decrypted.
type handshake struct {
	credentials.TransportCredentials
	gate *Gate
}

// ServerHandshake returns the watched connection.
func (h handshake) ServerHandshake(raw net.Conn) (net.Conn, credentials.AuthInfo, error) {
	opened, info, err := h.TransportCredentials.ServerHandshake(raw)
	if err != nil {
		return nil, nil, err
	}
	if h.gate.Over != nil {
		opened = h.gate.Over(opened, info)
	}
	c := newConn(h.gate, opened)
	return c, watched{AuthInfo: info, conn: c}, nil
}

// Clone implements credentials.TransportCredentials.
func (h handshake) Clone() credentials.TransportCredentials { return h }

// watched leads from a call to its connection.
type watched struct {
	credentials.AuthInfo
	conn *conn
}

type key struct{}

// tap is called by the connection's reader when it has read the header of a call.
func (g *Gate) tap(ctx context.Context, info *tap.Info) (context.Context, error) {
	p, ok := peer.FromContext(ctx)
	if !ok {
		return ctx, nil
	}
	w, ok := p.AuthInfo.(watched)
	if !ok {
		return ctx, nil
	}
	call := &Call{conn: w.conn, id: w.conn.current, account: g.Memory.Open(), last: time.Now(), most: g.Memory.Limit()}
	if !strings.HasPrefix(info.FullMethodName, g.Service) {
		ctx, call.cancel = context.WithCancel(ctx)
		call.foreign, call.most = ctx.Done(), smallMessage
	}
	w.conn.add(call)
	return context.WithValue(ctx, key{}, call), nil
}

// smallMessage is the largest message to another service: health or reflection.
const smallMessage = 4 << 20

// Of returns the call of a context, or nil where there is no gate. The methods of a nil Call may be called.
func Of(ctx context.Context) *Call {
	call, _ := ctx.Value(key{}).(*Call)
	return call
}
