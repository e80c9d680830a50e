package arrival

import (
	"context"
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
	// Memory counts what has arrived and has not been read yet; nil sets no bound.
	Memory *budget.Budget
	// Patience is how long a client may take for the start of its connection, and then for each further part of a message.
	Patience time.Duration
	// Service is the path of the methods whose handlers use Of, with a slash at the end. Messages to others are small.
	Service string
	// Status is an error as clients are told of it.
	Status func(error) *status.Status
}

// Gate watches the connections of one server.
type Gate struct{ Options }

// ServerOptions are what a server is made with that has a gate.
func ServerOptions(o Options) []grpc.ServerOption {
	g := &Gate{o}
	return []grpc.ServerOption{
		grpc.Creds(handshake{insecure.NewCredentials(), g}),
		grpc.InTapHandle(g.tap),
		grpc.ConnectionTimeout(o.Patience),
	}
}

// handshake is where gRPC lets a connection be replaced by another.
type handshake struct {
	credentials.TransportCredentials
	gate *Gate
}

// ServerHandshake gives the connection that is watched.
func (h handshake) ServerHandshake(raw net.Conn) (net.Conn, credentials.AuthInfo, error) {
	c := newConn(h.gate, raw)
	return c, watched{conn: c}, nil
}

// Clone is what gRPC does with credentials.
func (h handshake) Clone() credentials.TransportCredentials { return h }

// watched leads from a call to its connection.
type watched struct {
	credentials.CommonAuthInfo
	conn *conn
}

// AuthType is that of plain connections.
func (watched) AuthType() string { return "insecure" }

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

// smallMessage is the largest to a method of another service: health, reflection.
const smallMessage = 4 << 20

// Of is the call that a context belongs to, or nil where there is no gate; its methods can be called all the same.
func Of(ctx context.Context) *Call {
	call, _ := ctx.Value(key{}).(*Call)
	return call
}
