package backendtest

import (
	"bytes"
	"context"
	"encoding/binary"
	"sync"
	"testing"

	"conch/engine/backend"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// testLater: a request with a Responder gets its responses through it, in order, with one final response at the end. The
// backend does not use the request's memory after Execute.
func testLater(t *testing.T, s Subject) {
	if s.Counts == nil {
		t.Skip("this backend answers all requests before Execute returns: its Subject has no Counts")
	}
	t.Run("many answers", func(t *testing.T) {
		in := load(t, s, s.Counts(t)).Instance
		var list []*replies
		for n := range uint32(4) {
			list = append(list, executeLater(t, in, t.Context(), n))
		}
		for n, p := range list {
			p.wantCount(t, uint32(n))
		}
	})
	t.Run("given up", func(t *testing.T) { testGivenUp(t, s) })
	t.Run("closed", func(t *testing.T) { testClosedBefore(t, s) })
}

// testGivenUp: when a request is given up, a backend stops sending soon, and answers other requests.
func testGivenUp(t *testing.T, s Subject) {
	in := load(t, s, s.Counts(t)).Instance
	ctx, cancel := context.WithCancel(t.Context())
	p := executeLater(t, in, ctx, endless)
	<-p.first
	cancel()
	<-p.refused
	executeLater(t, in, t.Context(), 2).wantCount(t, 2)
}

// testClosedBefore: an instance and its model are closed while a request is open. The backend fails it, or its later
// responses are dropped, and end.
func testClosedBefore(t *testing.T, s Subject) {
	ctx, cancel := context.WithCancel(t.Context())
	var p *replies
	t.Run("life", func(t *testing.T) {
		p = executeLater(t, load(t, s, s.Counts(t)).Instance, ctx, endless)
		<-p.first
	})
	cancel()
	<-p.refused
}

// endless is a number of responses that no test waits for.
const endless = 1 << 30

// executeLater asks for n answers, and overwrites the request's memory when Execute has returned.
func executeLater(t *testing.T, in backend.Instance, ctx context.Context, n uint32) *replies {
	t.Helper()
	r := &infer.Request{Batch: 1, Inputs: []tensor.Tensor{
		{Name: "IN", Type: tensor.Int32, Shape: tensor.Shape{1, 1}, Data: binary.LittleEndian.AppendUint32(nil, n)},
	}}
	p := newReplies(ctx)
	batch := backend.NewBatch([]*infer.Request{r}, func(_ int, resp *infer.Response) { _ = p.Send(resp) }, func(_ int, err error) { p.Fail(err) })
	batch.OnLater(func(int) backend.Responder { return p })
	batch.Start()
	in.Execute(ctx, batch)
	for i := range r.Inputs[0].Data {
		r.Inputs[0].Data[i] = 0xff
	}
	*r = infer.Request{}
	return p
}

// replies is a Responder that keeps the responses.
type replies struct {
	ctx context.Context
	end context.CancelFunc
	// first is closed by the first response, refused by the first response that Send refuses, or by an error.
	first, refused chan struct{}

	mu    sync.Mutex // guards what follows
	got   [][]byte
	ended bool
	err   error
}

var _ backend.Responder = (*replies)(nil)

func newReplies(ctx context.Context) *replies {
	p := &replies{first: make(chan struct{}), refused: make(chan struct{})}
	p.ctx, p.end = context.WithCancel(ctx)
	return p
}

func (p *replies) Context() context.Context { return p.ctx }

func (p *replies) Send(r *infer.Response) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.Release != nil {
		defer r.Release()
	}
	if p.ended || p.ctx.Err() != nil {
		closeOnce(p.refused)
		return infer.Errorf(infer.Cancelled, "nobody waits")
	}
	for _, out := range r.Outputs {
		if len(p.got) < 100 {
			p.got = append(p.got, bytes.Clone(out.Data))
		}
	}
	closeOnce(p.first)
	if p.ended = r.Final; r.Final {
		p.end()
	}
	return nil
}

func closeOnce(c chan struct{}) {
	select {
	case <-c:
	default:
		close(c)
	}
}

func (p *replies) Failing() {}

func (p *replies) Fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	closeOnce(p.refused)
	if !p.ended {
		p.err, p.ended = err, true
		p.end()
	}
}

// wantCount waits for the end and checks that the responses are 0, 1, … n-1.
func (p *replies) wantCount(t *testing.T, n uint32) {
	t.Helper()
	<-p.ctx.Done()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err != nil || !p.ended || len(p.got) != int(n) {
		t.Errorf("asked for %d answers, got %d, ended: %v, error: %v", n, len(p.got), p.ended, p.err)
	}
	for i, data := range p.got {
		if !bytes.Equal(data, binary.LittleEndian.AppendUint32(nil, uint32(i))) {
			t.Errorf("answer %d is %x", i, data)
		}
	}
}
