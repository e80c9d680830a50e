package httpapi

import (
	"time"

	"conch/engine/infer"
	"conch/engine/kserve/request"
)

// generation is one call of /generate or /generate_stream (docs/triton/http.md, "Generate").
type generation struct {
	request.Assembler
	h      *handler
	c      *call
	stream bool
	out    *buffer
	// answers counts the answers of the model; an error is one too.
	answers int
	failed  bool // the first answer is an error
	ran     bool // the failures of the model count the request
	// wrong is what went wrong first, as the client gets it; "" where nothing did.
	wrong   string
	begun   bool // the status has been sent
	pending bool // out holds an answer that has not been sent
	counted int64
}

// generate answers with one JSON object.
func (h *handler) generate(c *call) error { return h.serveGeneration(c, false) }

// generateStream answers with server-sent events.
func (h *handler) generateStream(c *call) error { return h.serveGeneration(c, true) }

func (h *handler) serveGeneration(c *call, stream bool) error {
	version, err := c.versionOf()
	if err != nil {
		return err
	}
	if _, err := h.svc.Config(c.model, version); err != nil {
		return err
	}
	began := time.Now()
	if err := c.account.Grow(infer.RequestCost); err != nil {
		return unread(err)
	}
	in, out := takeBuffer(), takeBuffer()
	defer in.giveBack()
	defer out.giveBack()
	if err := h.readGeneration(c, in); err != nil {
		return err
	}
	g := &generation{
		h: h, c: c, stream: stream, out: out,
		Assembler: request.New(request.HTTP, c.model, version, &h.opts.Options, &c.account),
	}
	g.Sample(h.opts.Tracer, began, c.r.Header)
	defer g.Sampled.Done()
	err = g.answer(in.bytes)
	c.id = g.ID
	return err
}

// readGeneration reads a body, which may not be compressed.
func (h *handler) readGeneration(c *call, b *buffer) error {
	if contentEncoding(c.r.Header) != identity {
		return infer.Errorf(infer.InvalidArg, "Unsupported content-encoding, only 'identity' is supported.")
	}
	if size := c.r.ContentLength; size > h.opts.MaxInput {
		return tooLarge(size, h.opts.MaxInput)
	}
	if err := b.fill(h.body(c, c.r.ContentLength, h.opts.MaxInput)); err != nil {
		return err
	}
	c.read()
	return nil
}

// answer reads and runs the request. Its error is that of a request that never ran. What fails later is an answer of
// the model. The request ends when its client leaves.
func (g *generation) answer(body []byte) error {
	if err := g.Enter(g.h.svc); err != nil {
		return err
	}
	defer g.Leave()
	if err := g.read(body); err != nil {
		return err
	}
	g.KeepsOn = true
	ctx := g.c.r.Context()
	err := g.Often(ctx, g.take)
	switch {
	case ctx.Err() != nil:
		return nil // nobody reads an answer
	case err != nil && g.answers == 0 && !g.Reached(err):
		return err
	case err != nil:
		g.ran = g.Failed(err)
		err = g.fail(err)
	}
	g.Leave() // a slow client keeps no version loaded
	if err == nil {
		g.finish()
	}
	return nil
}
