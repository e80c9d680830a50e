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
	target  infer.Target
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
	if err == nil {
		err = answersOnce(config)
	}
	if err != nil {
		return asPlain(err)
	}
	began := time.Now()
	if err := c.account.Grow(infer.RequestCost); err != nil {
		return unread(err)
	}
	in, out := takeBuffer(), takeBuffer()
	defer in.giveBack()
	defer out.giveBack()
	if err := h.readBody(c, in); err != nil {
		return err
	}
	c.read()
	f := &inference{h: h, c: c, body: in.bytes}
	f.request = infer.Request{Model: c.model, Version: version, Received: time.Now(), Counted: h.opts.Memory != nil}
	if f.trace = h.opts.Tracer.Sample(c.model); f.trace != nil {
		f.trace.MarkAt("HTTP_RECV_START", began)
		f.trace.MarkAt("HTTP_RECV_END", f.request.Received)
		f.request.Trace = f.trace.Trace
		defer f.trace.Done()
	}
	reply, err := f.answer(out)
	if err != nil {
		return err
	}
	f.trace.Mark("HTTP_SEND_START")
	f.send(&reply)
	f.trace.Mark("HTTP_SEND_END")
	return nil
}

// answer reads the request and has it run, both by the version that serves now. The body has come, and the answer is sent
// later: a slow client keeps no version from being freed.
func (f *inference) answer(out *buffer) (reply, error) {
	target, err := f.h.enter(f.request.Model, f.request.Version)
	if err != nil {
		return reply{}, err
	}
	defer target.Leave()
	f.target = target
	if err := f.read(); err != nil {
		return reply{}, err
	}
	return f.run(out)
}

// enter finds a version that HTTP can run requests on.
func (h *handler) enter(model string, version int64) (infer.Target, error) {
	target, err := h.svc.Enter(model, version)
	if err != nil {
		return target, asPlain(err)
	}
	if err := answersOnce(target.Config); err != nil {
		target.Leave()
		return target, asPlain(err)
	}
	return target, nil
}

func answersOnce(config *modelconfig.ModelConfig) error {
	if config.GetModelTransactionPolicy().GetDecoupled() {
		return infer.Errorf(infer.Unsupported, "HTTP end point doesn't support models with decoupled transaction policy")
	}
	return nil
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

// run has the engine answer. The answer is encoded while the backend's memory is valid, and sent when the model is free
// again: a slow client must not hold an instance.
func (f *inference) run(out *buffer) (reply, error) {
	reply, answered := reply{buffer: out}, false
	err := f.target.Infer(f.c.lasting(), &f.request, func(r *infer.Response) error {
		if answered {
			return infer.Errorf(infer.Internal, "model '%s' gave more than one response to one request", f.request.Model)
		}
		answered = true
		return reply.encode(f, r)
	})
	switch {
	case err != nil:
		return reply, refusal(err)
	case !answered:
		return reply, asPlain(infer.Errorf(infer.Internal, "model '%s' gave no response to a request", f.request.Model))
	}
	return reply, nil
}

// refusal gives an error Triton's content type: JSON for what is wrong with the request, text for
// what failed in the backend (docs/triton/http.md, "Status codes").
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
		f.c.account.Force(int64(len(body)))
	}
	if len(r.bytes) == r.jsonSize {
		f.c.send(http.StatusOK, typeJSON, body)
		return
	}
	header[jsonLengthHeader] = []string{strconv.Itoa(r.jsonSize)}
	f.c.send(http.StatusOK, typeBinary, body)
}
