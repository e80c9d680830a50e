package httpapi

import (
	"errors"
	"net/http"
	"strconv"

	"conch/engine/infer"
	"conch/engine/kserve"
	"conch/engine/kserve/httpapi/jsondoc"
	"conch/engine/kserve/refusals"
	"conch/engine/tensor"
)

const (
	typeEvents = "text/event-stream; charset=utf-8"
	// manyAnswers is Triton's sentence for a model that does not answer exactly once.
	manyAnswers = "generate expects model to produce exactly 1 response, use generate stream for model that generates various number of responses"
)

// take takes an answer of the model. An answer that cannot be written as JSON is an error for the client.
func (g *generation) take(r *infer.Response) error {
	switch {
	case r.Err != nil:
		return g.fail(r.Err)
	case r.Final && len(r.Outputs) == 0 && g.Decoupled():
		return nil // the end, not an answer
	case !g.stream && g.answers > 0:
		g.answers++
		return nil // only their number matters
	}
	if err := g.begin(); err != nil {
		return err
	}
	if err := g.encode(r); err != nil {
		return g.failBegun(err)
	}
	return g.end()
}

// begin begins an answer. An earlier answer that still waits is sent.
func (g *generation) begin() error {
	g.answers++
	if !g.pending {
		return nil
	}
	return g.send()
}

// end ends the answer. The answers of a decoupled model are sent as they come; a client that does not read them makes
// the model wait. The answer of any other model is sent when its instance is free again.
func (g *generation) end() error {
	g.pending = true
	if g.stream && g.Decoupled() {
		return g.send()
	}
	return nil
}

// fail answers with an error.
func (g *generation) fail(err error) error {
	if !g.stream && g.answers > 0 {
		g.answers++
		return nil
	}
	if err := g.begin(); err != nil {
		return err
	}
	return g.failBegun(err)
}

func (g *generation) failBegun(err error) error {
	text := messageOf(err)
	if g.answers == 1 {
		g.failed = true
	}
	if g.wrong == "" {
		g.wrong = text
		if g.stream {
			g.refuse()
		}
	}
	g.error(text)
	return g.end()
}

func (g *generation) error(text string) {
	b := jsondoc.Builder{Bytes: g.out.bytes[:0]}
	b.Begin('{')
	b.Member("error", text)
	b.End('}')
	g.out.bytes = b.Bytes
}

// refuse keeps the request among the refusals, once: a stream's as soon as something goes wrong.
func (g *generation) refuse() {
	g.c.refusals.AddHTTP("HTTP", g.c.r, g.status(), refusals.Refusal{Model: g.c.model, Version: g.c.version, ID: g.ID, Reason: g.wrong, Ran: g.ran})
}

// status is 400 where the first answer is an error, whatever comes later (docs/triton/http.md, "Generate").
func (g *generation) status() int {
	if g.failed {
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// finish sends what has not been sent yet.
func (g *generation) finish() {
	if !g.stream && g.answers != 1 {
		g.wrong = manyAnswers
		g.error(manyAnswers)
		g.pending = true
	}
	if !g.stream && g.wrong != "" {
		g.refuse()
	}
	_ = g.send() // a client that has left needs no answer
}

// send sends the answer that waits, with the status before the first bytes. It is chunked, as in Triton.
func (g *generation) send() error {
	if !g.begun {
		g.begun = true
		g.sendHead()
	}
	if !g.pending {
		return nil
	}
	g.Sampled.Mark("HTTP_SEND_START") // each event of a stream has its own marks
	err := g.write()
	g.Sampled.Mark("HTTP_SEND_END")
	g.pending = false
	g.c.account.Give(g.counted)
	g.counted = 0
	if err != nil {
		return infer.Errorf(infer.Cancelled, "the client closed the connection: %v", err)
	}
	return nil
}

// write writes the answer as it is, or as an event.
func (g *generation) write() error {
	if !g.stream {
		_, err := g.c.w.Write(g.out.bytes)
		return err
	}
	for _, piece := range [][]byte{[]byte("data: "), g.out.bytes, []byte("\n\n")} {
		if _, err := g.c.w.Write(piece); err != nil {
			return err
		}
	}
	return flush(g.c.w)
}

func (g *generation) sendHead() {
	header := g.c.w.Header()
	header.Set("Content-Type", typeJSON)
	if g.stream {
		header.Set("Content-Type", typeEvents)
	}
	if g.c.r.ProtoAtLeast(1, 1) {
		header.Set("Transfer-Encoding", "chunked")
	}
	g.c.reportLoad(g.h.svc)
	g.c.w.WriteHeader(g.status())
}

func flush(w http.ResponseWriter) error {
	err := http.NewResponseController(w).Flush()
	if errors.Is(err, http.ErrNotSupported) {
		return nil
	}
	return err
}

// encode writes an answer as one flat object, and counts it.
func (g *generation) encode(r *infer.Response) error {
	size := int64(0)
	for i := range r.Outputs {
		size += int64(len(r.Outputs[i].Data))
	}
	if err := g.count(size); err != nil {
		return err
	}
	b := jsondoc.Builder{Bytes: g.out.bytes[:0]}
	err := g.writeMembers(&b, r)
	g.out.bytes = b.Bytes
	if took := int64(len(b.Bytes)); err == nil && took > size { // as text
		err = g.count(took - size)
	}
	return err
}

// count counts bytes of an answer until it has been sent.
func (g *generation) count(size int64) error {
	if err := g.c.account.Grow(size); err != nil {
		return err
	}
	g.counted += size
	return nil
}

// writeMembers writes the members in the order of their names. Of a fact of the answer, a parameter and an output with one
// name, the first counts.
func (g *generation) writeMembers(b *jsondoc.Builder, r *infer.Response) error {
	members := map[string]func() error{}
	for i := range r.Outputs {
		members[r.Outputs[i].Name] = func() error { return writeFlat(b, &r.Outputs[i]) }
	}
	for name, value := range r.Parameters {
		members[name] = func() error { writeScalar(b, value); return nil }
	}
	members["model_name"] = func() error { b.String(r.Model); return nil }
	members["model_version"] = func() error { b.String(strconv.FormatInt(r.Version, 10)); return nil }
	if g.ID != "" {
		members["id"] = func() error { b.String(g.ID); return nil }
	}
	b.Begin('{')
	for _, name := range kserve.SortedKeys(members) {
		b.Key(name)
		if err := members[name](); err != nil {
			return err
		}
	}
	b.End('}')
	return nil
}

// writeFlat writes a tensor's values: one as it is, others as a list.
func writeFlat(b *jsondoc.Builder, t *tensor.Tensor) error {
	if n, fits := t.Shape.Elements(); fits && n == 1 {
		return writeData(b, t)
	}
	b.Begin('[')
	if err := writeData(b, t); err != nil {
		return err
	}
	b.End(']')
	return nil
}
