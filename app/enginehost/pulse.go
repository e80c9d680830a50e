package enginehost

import (
	"context"
	"errors"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// errSilent ends the calls to an engine that does not answer.
var errSilent = errors.New("the engine does not answer")

// pulse ends calls when the engine is silent. While the engine sends heartbeats, a call may take any
// time: a person's request may take minutes.
type pulse struct {
	mu     sync.Mutex // guards what follows
	silent string     // why calls are refused; "" while the engine answers
	calls  map[*context.CancelCauseFunc]bool
}

// patient marks the calls that wait for the engine through any silence, because no person waits for
// them.
type patient struct{}

func patiently(ctx context.Context) context.Context { return context.WithValue(ctx, patient{}, true) }

// stop ends running calls and refuses new ones.
func (p *pulse) stop(why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.silent = why
	for cancel := range p.calls {
		(*cancel)(errSilent)
	}
}

// resume lets calls through again.
func (p *pulse) resume() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.silent = ""
}

// enter begins a call. The caller calls end when the call is over.
func (p *pulse) enter(ctx context.Context) (_ context.Context, end func(), err error) {
	if ctx.Value(patient{}) != nil {
		return ctx, func() {}, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.silent != "" {
		return ctx, nil, status.Error(codes.Unavailable, p.silent)
	}
	if p.calls == nil {
		p.calls = map[*context.CancelCauseFunc]bool{}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	p.calls[&cancel] = true
	return ctx, func() {
		p.mu.Lock()
		delete(p.calls, &cancel)
		p.mu.Unlock()
		cancel(nil)
	}, nil
}

// explain returns the error of a call. Where pulse ended the call, the error says why.
func (p *pulse) explain(ctx context.Context, err error) error {
	if err == nil || !errors.Is(context.Cause(ctx), errSilent) {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.silent != "" {
		return status.Error(codes.Unavailable, p.silent)
	}
	return status.Error(codes.Unavailable, "The engine did not answer for a while; it does again.")
}

func (p *pulse) unary(ctx context.Context, method string, req, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	ctx, end, err := p.enter(ctx)
	if err != nil {
		return err
	}
	err = p.explain(ctx, invoke(ctx, method, req, reply, conn, opts...))
	end()
	return err
}

func (p *pulse) stream(ctx context.Context, desc *grpc.StreamDesc, conn *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	ctx, end, err := p.enter(ctx)
	if err != nil {
		return nil, err
	}
	s, err := open(ctx, desc, conn, method, opts...)
	if err != nil {
		err = p.explain(ctx, err)
		end()
		return nil, err
	}
	return &pulsed{ClientStream: s, pulse: p, end: end}, nil
}

// pulsed is a stream that ends with the pulse. It must be read to its end, or its context must end.
type pulsed struct {
	grpc.ClientStream
	pulse *pulse
	end   func()
}

func (s *pulsed) RecvMsg(m any) error {
	err := s.ClientStream.RecvMsg(m)
	if err != nil {
		err = s.pulse.explain(s.Context(), err)
		s.end()
	}
	return err
}
