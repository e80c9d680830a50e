package shortcut

import (
	"context"
	"io"
	"time"

	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"conch/engine/kserve/grpcapi/arrival"
)

// call is a call whose message has arrived. It implements grpc.ServerStream for the handler.
type call struct {
	conn    *Conn
	id      uint32
	head    *head
	name    string // of the model
	pace    *pace
	ctx     context.Context
	cancel  context.CancelFunc
	timer   *time.Timer // of its timeout
	message mem.Buffer  // without the prefix; nil when the handler has it
	lent    bool        // the message lies in the connection's buffer
	arrived *arrival.Call
	answer  mem.BufferSlice
	trailer metadata.MD

	// The writer guards what follows.
	window  int64         // how much of the answer the client takes
	more    int64         // how much of that came after the call's beginning
	sent    int           // of the answer
	ready   bool          // the answer is there, and not sent as a whole
	queued  bool          // it is one of those that may go
	turn    chan struct{} // closed at the end of the waiting in line; nil before
	counted bool          // the waiting has ended with a place
	status  *status.Status
	over    bool // nothing is sent any more
}

// begin begins a call. Its message has its prefix unless it is lent.
func (c *Conn) begin(g *gathered, message mem.Buffer, lent bool) {
	k := g.call
	k.message, k.lent = message, lent
	text := message.ReadOnlyData()
	if !lent {
		text = text[prefix:]
	}
	k.pace, k.name = c.road.paceOf(modelName(text))
	k.arrived = arrival.Whole(g.account, g.account.Held())
	ctx := arrival.With(k.head.ctx, k.arrived)
	c.mu.Lock()
	defer c.mu.Unlock()
	if t := k.head.timeout; t > 0 {
		t -= time.Since(g.began)
		k.ctx, k.cancel = context.WithTimeout(ctx, t)
		k.timer = time.AfterFunc(t, func() { c.late(k); c.flush() })
	} else {
		k.ctx, k.cancel = context.WithCancel(ctx)
	}
	c.calls = append(c.calls, k)
}

// own moves the message out of the connection's buffer, which the reader needs again.
func (k *call) own() {
	if !k.lent {
		return
	}
	text := k.message.ReadOnlyData()
	b := k.conn.road.Pool.Get(prefix + len(text))
	copy((*b)[prefix:], text)
	k.message, k.lent = mem.NewBuffer(b, k.conn.road.Pool), false
}

// serve calls the handler, and sends the answer.
func (k *call) serve() {
	if k.conn.begun(k) {
		began := time.Now()
		err := k.conn.road.Handler(k)
		k.pace.took(time.Since(began))
		st, ok := status.FromError(err)
		if !ok {
			st = status.FromContextError(err)
		}
		if err != nil && k.ctx.Err() == context.DeadlineExceeded {
			st = tooLate
		}
		k.conn.finish(k, st)
	}
	if k.message != nil { // the handler did not want it
		k.message.Free()
	}
	k.arrived.End()
	k.cancel()
	if k.timer != nil {
		k.timer.Stop()
	}
}

// Context implements grpc.ServerStream.
func (k *call) Context() context.Context { return k.ctx }

// SetHeader implements grpc.ServerStream; no handler sets any.
func (k *call) SetHeader(metadata.MD) error { return nil }

// SendHeader implements grpc.ServerStream.
func (k *call) SendHeader(metadata.MD) error { return nil }

// SetTrailer implements grpc.ServerStream.
func (k *call) SetTrailer(md metadata.MD) { k.trailer = metadata.Join(k.trailer, md) }

// SendMsg implements grpc.ServerStream. The answer is sent when the handler has returned.
func (k *call) SendMsg(m any) (err error) {
	k.answer, err = k.conn.road.Codec.Marshal(m)
	return err
}

// RecvMsg implements grpc.ServerStream.
func (k *call) RecvMsg(m any) error {
	if k.message == nil {
		return io.EOF
	}
	b := k.message
	k.message = nil
	if !k.lent {
		var head mem.Buffer
		head, b = mem.SplitUnsafe(b, prefix)
		head.Free()
	}
	data := mem.BufferSlice{b}
	defer data.Free()
	return k.conn.road.Codec.Unmarshal(data, m)
}

// Direct implements Learner.
func (k *call) Direct(config any, is func() bool) {
	if p := k.pace; p.config != config {
		k.conn.road.learn(k.name, config, is())
	}
}
