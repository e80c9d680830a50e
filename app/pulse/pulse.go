// Package pulse ends the calls to a server that has fallen silent. While the server gives signs of life,
// a call may take any time: a person's request may take minutes. Who hears the signs calls Stop and
// Resume; a Pulse counts no time itself.
//
// A Pulse is safe for concurrent use.
package pulse

import (
	"context"
	"errors"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// errSilent ends the calls to a server that does not answer.
var errSilent = errors.New("the server does not answer")

// Pulse is that of one server. The zero value lets calls through.
type Pulse struct {
	mu     sync.Mutex // guards what follows
	silent string     // why calls are refused; "" while the server answers
	calls  map[*context.CancelCauseFunc]bool
}

// patient marks the calls that wait for the server through any silence, because no person waits for
// them.
type patient struct{}

// Patiently returns a context for such calls.
func Patiently(ctx context.Context) context.Context { return context.WithValue(ctx, patient{}, true) }

// Stop ends running calls and refuses new ones, with these words.
func (p *Pulse) Stop(why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.silent = why
	for cancel := range p.calls {
		(*cancel)(errSilent)
	}
}

// Resume lets calls through again.
func (p *Pulse) Resume() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.silent = ""
}

// enter begins a call. The caller calls end when the call is over.
func (p *Pulse) enter(ctx context.Context) (_ context.Context, end func(), err error) {
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

// explain returns the error of a call. Where the pulse ended the call, the error says why.
func (p *Pulse) explain(ctx context.Context, err error) error {
	if err == nil || !errors.Is(context.Cause(ctx), errSilent) {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.silent != "" {
		return status.Error(codes.Unavailable, p.silent)
	}
	return status.Error(codes.Unavailable, "There was no answer for a while; it answers again.")
}

// Unary is a grpc.UnaryClientInterceptor.
func (p *Pulse) Unary(ctx context.Context, method string, req, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	ctx, end, err := p.enter(ctx)
	if err != nil {
		return err
	}
	err = p.explain(ctx, invoke(ctx, method, req, reply, conn, opts...))
	end()
	return err
}

// Stream is a grpc.StreamClientInterceptor.
func (p *Pulse) Stream(ctx context.Context, desc *grpc.StreamDesc, conn *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
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
	pulse *Pulse
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
