package grpcapi

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"conch/engine/infer"
	"conch/engine/kserve/kservepb"
	"conch/engine/kserve/request"
)

// maxInFlight bounds the requests of one stream. The client waits when it is reached. A request of a sequence may have to wait for a
// request that comes later in the stream, and answers behind it wait too: memory alone bounds those.
const maxInFlight = 1024

const streamMethod = "ModelStreamInfer"

// errStopped ends the streams that are open when the server ends.
var errStopped = status.Error(codes.Unavailable, "the server is ending")

// stream is one call of ModelStreamInfer.
type stream struct {
	s      *server
	call   *call
	grpc   kservepb.GRPCInferenceService_ModelStreamInferServer
	ctx    context.Context
	cancel context.CancelCauseFunc
	slots  chan struct{}
	// strict closes the stream with a status when a backend fails (metadata triton_grpc_error, B4).
	strict bool
	// failed is the request whose error ended the stream, where one did. It is set with the stream's cause.
	failed atomic.Pointer[asked]

	// sendMu lets one goroutine send at a time.
	sendMu sync.Mutex

	// openMu guards closed. run holds it while it adds to running, so that nothing is added after
	// close.
	openMu  sync.Mutex
	closed  bool
	running sync.WaitGroup

	// last is closed when the last ordinary request has been answered: ordinary requests are
	// answered in order (docs/triton/grpc.md, "Streams"). Only the receiving goroutine uses it.
	last      <-chan struct{}
	queued    <-chan struct{} // closed when the last request is in its model's queue
	sequences sequences
	// sequential counts the requests of sequences that their models are not done with.
	sequential atomic.Int64
}

// turn is what a request waits for: the requests before it that must be answered first.
type turn struct {
	before   <-chan struct{} // the ordinary request before; nil for a decoupled one
	queue    <-chan struct{} // the request before is in its queue, or nil
	sequence <-chan struct{} // the request before in the same sequence, where the model gets them one by one, or nil
	served   chan struct{}   // closed when the model is done with the request: the next of its sequence may run
	done     chan struct{}   // closed when the request has been answered
	free     func()          // gives the place in the stream back
}

// ModelStreamInfer receives requests and answers them concurrently until the client closes its
// half.
func (s *server) ModelStreamInfer(g kservepb.GRPCInferenceService_ModelStreamInferServer) error {
	c, err := accept(g, false)
	if err != nil {
		return s.refuse(g, streamMethod, err)
	}
	defer c.end()
	answerWith(g.Context(), s.opts.Compress)
	ctx, cancel := context.WithCancelCause(g.Context())
	defer cancel(nil)
	st := &stream{
		call: c,
		s:    s, grpc: g, ctx: ctx, cancel: cancel, strict: incoming(g, request.StatusErrors) == "true",
		slots: make(chan struct{}, maxInFlight), sequences: sequences{last: map[sequence]chan struct{}{}},
	}
	received := make(chan error, 1)
	// The return of this function makes Recv fail, and so ends the goroutine.
	go func() { received <- st.receive() }()
	select {
	case err = <-received:
	case <-ctx.Done():
	case <-s.ending:
		st.close()
		return errStopped
	}
	if err != nil {
		cancel(err)
	}
	st.close()
	if err == nil {
		err = context.Cause(ctx)
	}
	err = statusOf(err)
	what := asked{method: streamMethod}
	if failed := st.failed.Load(); failed != nil {
		what = *failed
	}
	keep(s.opts.Refusals, g.Context(), what, err)
	return err
}

// close stops accepting requests and waits for the running ones.
func (st *stream) close() {
	st.openMu.Lock()
	st.closed = true
	st.openMu.Unlock()
	st.running.Wait()
}

// run starts a goroutine for a request. It returns false when the stream is closed.
func (st *stream) run(serve func()) bool {
	st.openMu.Lock()
	defer st.openMu.Unlock()
	if st.closed {
		return false
	}
	st.running.Go(serve)
	return true
}

// receive starts every request that comes in. It returns nil when the client is done or the server
// closed the stream.
func (st *stream) receive() error {
	for {
		req := new(kservepb.ModelInferRequest)
		in, err := st.call.receive(req)
		if err == nil {
			err = statusOf(in.account.Grow(infer.RequestCost))
		}
		if err != nil {
			in.close()
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		st.start(req, in)
	}
}

// start reads a request and starts a goroutine for it.
func (st *stream) start(req *kservepb.ModelInferRequest, in *received) {
	f, err := st.s.enter(st.call, req, &in.account)
	if err == nil {
		if err = f.read(st.ctx); err != nil {
			f.Leave()
		}
	}
	t := st.takeTurn(f, err == nil && f.Sequential())
	if err == nil {
		st.queue(f, &t)
	}
	st.s.unsent.Add(1)
	taken := st.run(func() {
		defer st.s.unsent.Add(-1)
		defer t.free()
		defer in.close()
		defer close(t.done)
		if err != nil {
			st.freeEarly(t)
			st.refuse(t, asked{message: req}, refused(req.GetId(), err))
			return
		}
		own := st.s.ownTrace(st.call)
		f.Trace = own
		f.Sample(st.s.opts.Tracer, f.Received, st.call)
		defer f.Sampled.Done()
		await(st.ctx, t.sequence)
		await(st.ctx, t.queue)
		switch {
		case st.ctx.Err() != nil: // it has not waited, and would overtake those before it
			f.Leave()
			st.leave(f, t)
		case f.Decoupled():
			st.runDecoupled(f, t)
		default:
			st.runOrdinary(f, t)
		}
		if own != nil {
			st.s.setTrace(st.call, f.Trace)
		}
	})
	if taken {
		return
	}
	st.s.unsent.Add(-1)
	in.close()
	if err == nil {
		f.Leave()
	}
}

// queue says what a request waits for before it goes to its model.
func (st *stream) queue(f *inference, t *turn) {
	if f.Sequential() {
		st.sequential.Add(1)
	}
	if f.Alone() {
		f.Hold()
		t.sequence = st.sequences.join(sequenceOf(f), t.served)
	}
	if t.sequence != nil { // the one before may wait for a request that comes later in the stream, so no other waits for this one
		return
	}
	own := make(chan struct{})
	t.queue, st.queued = st.queued, own
	f.Queued = sync.OnceFunc(func() { close(own) })
}

// takeSlot waits for one of the places of the stream. It returns what frees it.
func (st *stream) takeSlot() (free func()) {
	select {
	case st.slots <- struct{}{}:
		return sync.OnceFunc(func() { <-st.slots })
	case <-st.ctx.Done(): // the request finds that out
		return func() {}
	}
}

// freeEarly gives a request's place back if its answer may have to wait for a sequence: the request that ends the sequence may come
// later in the stream.
func (st *stream) freeEarly(t turn) {
	if st.sequential.Load() > 0 {
		t.free()
	}
}

// takeTurn takes a place for a request, unless it is of a sequence, and its turn to be answered.
func (st *stream) takeTurn(f *inference, sequential bool) turn {
	t := turn{served: make(chan struct{}), done: make(chan struct{}), free: func() {}}
	if !sequential {
		t.free = st.takeSlot()
	}
	if f == nil || !f.Decoupled() {
		t.before, st.last = st.last, t.done
	}
	return t
}

// leave lets the next request of the sequence run. It does not wait until this one has been answered: answers leave in the
// order of the stream, and one before this may be of a sequence that waits for the place of this one.
func (st *stream) leave(f *inference, t turn) {
	close(t.served)
	if f.Queued != nil {
		f.Queued()
	}
	st.sequences.leave(sequenceOf(f), t.served)
	if f.Sequential() {
		st.sequential.Add(-1)
	}
	st.freeEarly(t)
}

// await waits for a turn; a nil turn needs no wait.
func await(ctx context.Context, turn <-chan struct{}) {
	if turn == nil {
		return
	}
	select {
	case <-turn:
	case <-ctx.Done():
	}
}

// runOrdinary answers a request once, after the ordinary requests before it.
func (st *stream) runOrdinary(f *inference, t turn) {
	f.marked = true
	err := f.Once(st.ctx, f)
	f.Leave() // before its turn to send
	st.leave(f, t)
	if err != nil {
		f.encoded.free()
		st.failInTurn(t, f, err)
		return
	}
	await(st.ctx, t.before)
	if err := st.sendOf(f, f.encoded); err != nil {
		st.cancel(err)
	}
}

// sendOf sends an answer of a request, with its times.
func (st *stream) sendOf(f *inference, m any) error {
	f.Sampled.Mark("GRPC_SEND_START")
	defer f.Sampled.Mark("GRPC_SEND_END")
	return st.send(m)
}

// runDecoupled passes answers on as they come. A client that does not read them makes the model
// wait.
func (st *stream) runDecoupled(f *inference, t turn) {
	f.KeepsOn = !st.strict
	err := f.Often(st.ctx, func(r *infer.Response) error {
		if r.Err != nil {
			return st.sendOf(f, f.errorBetween(r.Err))
		}
		empty := r.Final && len(r.Outputs) == 0
		if empty && !f.EmptyFinal {
			return nil
		}
		m := f.streamed(r, r.Final)
		if empty {
			m.InferResponse.ModelVersion = ""
		}
		encoded, err := st.call.prepare(m, st.s.opts.Memory)
		if err != nil {
			return err
		}
		return st.sendOf(f, encoded)
	})
	f.Leave()
	st.leave(f, t)
	if err != nil {
		st.failInTurn(turn{}, f, err)
	}
}

func (st *stream) sendInTurn(t turn, m any) {
	await(st.ctx, t.before)
	if err := st.send(m); err != nil {
		st.cancel(err)
	}
}

func (st *stream) send(m any) error {
	st.sendMu.Lock()
	defer st.sendMu.Unlock()
	if err := st.ctx.Err(); err != nil {
		if out, ok := m.(*outgoing); ok {
			out.free()
		}
		return err
	}
	return st.grpc.SendMsg(m)
}

// failInTurn sends the error of a request that the engine did not answer.
func (st *stream) failInTurn(t turn, f *inference, err error) {
	if !f.Reached(err) {
		st.refuse(t, asked{message: f.message}, refused(f.ID, err))
		return
	}
	if st.strict {
		await(st.ctx, t.before)
		st.failed.CompareAndSwap(nil, &asked{method: streamMethod, message: f.message, ran: f.Failed(err)})
		st.cancel(err)
		return
	}
	m := refused(f.ID, err)
	m.InferResponse.ModelName = f.Model
	m.InferResponse.Parameters = parameters(map[string]any{finalKey: true})
	st.refuse(t, asked{message: f.message, ran: f.Failed(err)}, m)
}

// refuse answers a request with an error, and keeps it among the refusals.
func (st *stream) refuse(t turn, what asked, answer *kservepb.ModelStreamInferResponse) {
	if to := st.s.opts.Refusals; to != nil && st.ctx.Err() == nil {
		what.method = streamMethod
		add(to, st.grpc.Context(), what, inStream, answer.ErrorMessage)
	}
	st.sendInTurn(t, answer)
}

// refused returns the answer to a request that never reached the model: the text and the id
// (docs/triton/grpc.md, "Streams").
func refused(id string, err error) *kservepb.ModelStreamInferResponse {
	return &kservepb.ModelStreamInferResponse{
		ErrorMessage:  err.Error(),
		InferResponse: &kservepb.ModelInferResponse{Id: id},
	}
}

// errorBetween returns the message of an error among the answers of a decoupled model: others follow.
func (f *inference) errorBetween(err error) *kservepb.ModelStreamInferResponse {
	m := refused(f.ID, err)
	m.InferResponse.ModelName = f.Model
	m.InferResponse.Parameters = parameters(map[string]any{finalKey: false})
	return m
}

// streamed returns the message of an answer with the mark of a stream.
func (f *inference) streamed(r *infer.Response, final bool) *kservepb.ModelStreamInferResponse {
	m := f.response(r)
	if m.Parameters == nil {
		m.Parameters = map[string]*kservepb.InferParameter{}
	}
	m.Parameters[finalKey] = parameter(final)
	return &kservepb.ModelStreamInferResponse{InferResponse: m}
}
