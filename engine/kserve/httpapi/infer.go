package httpapi

import (
	"net/http"
	"strconv"
	"time"

	"conch/configedit/modelconfig"
	"conch/engine/infer"
	"conch/engine/kserve/tracing"
)

// inference is one call of /infer on its way.
type inference struct {
	h       *handler
	c       *call
	config  *modelconfig.ModelConfig
	request infer.Request
	body    []byte // decompressed
	tail    []byte // binary tensors that no input has taken yet
	wanted  []wantedOutput
	trace   *tracing.Sampled // nil when it is not traced
	// binary is how outputs go out that the client did not list.
	binary bool
}

// wantedOutput is an output that the client listed.
type wantedOutput struct {
	name   string
	binary bool
}

// infer runs one request. The order of the refusals is Triton's: model, compression, sizes, body.
func (h *handler) infer(c *call) error {
	version, err := c.versionOf()
	if err != nil {
		return asPlain(err)
	}
	config, err := h.svc.Config(c.model, version)
	if err != nil {
		return asPlain(err)
	}
	if config.GetModelTransactionPolicy().GetDecoupled() {
		return asPlain(infer.Errorf(infer.Unsupported, "HTTP end point doesn't support models with decoupled transaction policy"))
	}
	began := time.Now()
	in, out := takeBuffer(), takeBuffer()
	defer in.giveBack()
	defer out.giveBack()
	if err := h.readBody(c, in); err != nil {
		return err
	}
	f := &inference{h: h, c: c, config: config, body: in.bytes}
	f.request = infer.Request{Model: c.model, Version: version, Received: time.Now()}
	if f.trace = h.opts.Tracer.Sample(c.model); f.trace != nil {
		f.trace.MarkAt("HTTP_RECV_START", began)
		f.trace.MarkAt("HTTP_RECV_END", f.request.Received)
		f.request.Trace = f.trace.Trace
		defer f.trace.Done()
	}
	if err := f.read(); err != nil {
		return err
	}
	return f.run(out)
}

// read fills in the request from the body.
func (f *inference) read() error {
	whole := int64(len(f.body))
	size, err := f.c.jsonLength(whole)
	if err != nil {
		return asPlain(err)
	}
	switch {
	case size > whole || size < 0:
		return asPlain(infer.Errorf(infer.InvalidArg, "inference header size should be in range (0, %d), got: %d", whole, size))
	case size == 0 || whole == 0:
		err = f.readRaw()
	default:
		f.tail = f.body[size:]
		err = f.readJSON(f.body[:size])
	}
	if err != nil {
		return err
	}
	f.forwardHeaders()
	return nil
}

// forwardHeaders makes parameters of the headers that --http-header-forward-pattern picks.
func (f *inference) forwardHeaders() {
	if f.h.opts.ForwardHeaders == nil {
		return
	}
	for name, values := range f.c.r.Header {
		if f.h.opts.ForwardHeaders.MatchString(name) {
			f.setParameter(name, values[0])
		}
	}
}

func (f *inference) setParameter(name string, value any) {
	if f.request.Parameters == nil {
		f.request.Parameters = map[string]any{}
	}
	f.request.Parameters[name] = value
}

// run has the engine answer and sends what it said. The answer is encoded while the backend's memory is
// valid, and sent when the model is free again: a slow client must not hold an instance.
func (f *inference) run(out *buffer) error {
	reply, answered := reply{buffer: out}, false
	err := f.h.svc.Infer(f.c.lasting(), &f.request, func(r *infer.Response) error {
		if answered {
			return infer.Errorf(infer.Internal, "model '%s' gave more than one response to one request", f.request.Model)
		}
		answered = true
		return reply.encode(f, r)
	})
	switch {
	case err != nil:
		return refusal(err)
	case !answered:
		return asPlain(infer.Errorf(infer.Internal, "model '%s' gave no response to a request", f.request.Model))
	}
	f.trace.Mark("HTTP_SEND_START")
	f.send(&reply)
	f.trace.Mark("HTTP_SEND_END")
	return nil
}

// refusal types an error as Triton does: what is wrong with the request is JSON, what failed in the
// backend is not (A1).
func refusal(err error) error {
	switch infer.CodeOf(err) {
	case infer.InvalidArg, infer.Unavailable:
		return err
	}
	return asPlain(err)
}

// send writes the reply, compressed if the client likes that.
func (f *inference) send(r *reply) {
	header, body := f.c.w.Header(), r.bytes
	if encoding := replyEncoding(f.c.r.Header.Get("Accept-Encoding")); encoding != "" {
		header["Content-Encoding"] = []string{encoding}
		body = compress(body, encoding)
	}
	if len(r.bytes) == r.jsonSize {
		f.c.send(http.StatusOK, typeJSON, body)
		return
	}
	header[jsonLengthHeader] = []string{strconv.Itoa(r.jsonSize)}
	f.c.send(http.StatusOK, typeBinary, body)
}
