package httpapi

import (
	"encoding/binary"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"conch/engine/infer"
	"conch/engine/kserve/request"
	"conch/engine/tensor"
)

// inference is one call of /infer.
type inference struct {
	request.Assembler
	h      *handler
	c      *call
	body   []byte // decompressed
	tail   []byte // binary tensors that no input has read yet
	wanted []wantedOutput
	reply  reply
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
		err = request.HTTP.AnswersOnce(config)
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
	f := &inference{
		h: h, c: c, body: in.bytes, reply: reply{buffer: out},
		Assembler: request.New(request.HTTP, c.model, version, &h.opts.Options, &c.account),
	}
	f.Sample(h.opts.Tracer, began, c.r.Header)
	defer f.Sampled.Done()
	err = f.answer()
	f.Sampled.Mark("HTTP_SEND_START")
	defer f.Sampled.Mark("HTTP_SEND_END")
	if err != nil {
		c.id, c.ran = f.ID, f.Failed(err)
		c.error(err) // here, so that its sending is a part of the trace
		return nil
	}
	f.send()
	return nil
}

// answer reads and runs the request, both with the version that serves now. The body has already arrived, and the
// answer is sent later, so a slow client does not keep a version loaded.
func (f *inference) answer() error {
	if err := f.Enter(f.h.svc); err != nil {
		return asPlain(err)
	}
	defer f.Leave()
	if err := request.HTTP.AnswersOnce(f.Config()); err != nil {
		return asPlain(err)
	}
	if err := f.read(); err != nil {
		return err
	}
	return f.refusal(f.Once(f.c.lasting(), f))
}

// Encode implements request.Encoder: the answer is sent when the model is free again, since a slow client must not hold an
// instance.
func (f *inference) Encode(r *infer.Response) error { return f.reply.encode(f, r) }

// read fills in the request from the body.
func (f *inference) read() error {
	whole := int64(len(f.body))
	size, err := f.c.jsonLength(whole)
	if err != nil {
		return asPlain(err)
	}
	switch {
	case size == 0 || whole == 0:
		err = f.readRaw()
	default:
		f.tail = f.body[size:]
		err = f.readJSON(f.body[:size])
	}
	if err != nil {
		return err
	}
	return f.forward()
}

// forward makes parameters of headers. The server has taken Host out of them.
func (f *inference) forward() error {
	pattern := f.h.opts.ForwardHeaders
	if pattern == nil {
		return nil
	}
	if err := f.Forward(pattern, map[string][]string{"Host": {f.c.r.Host}}); err != nil {
		return err
	}
	return f.Forward(pattern, f.c.r.Header)
}

// refusal gives an error Triton's content type: JSON for an error of the request, text for an error
// of the backend (docs/triton/http.md, "Status codes").
func (f *inference) refusal(err error) error {
	if err == nil {
		return nil
	}
	code := infer.CodeOf(err)
	if !f.Reached(err) && (code == infer.InvalidArg || code == infer.Unavailable) {
		return err
	}
	return asPlain(err)
}

// send writes the reply, compressed if the client accepts that.
func (f *inference) send() {
	r := &f.reply
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

// rawName is Triton's name for the input of a raw request in messages.
const rawName = "raw_input"

// readRaw takes the whole body as the only input of the model. All outputs are sent in binary form
// (docs/triton/http.md, "Raw requests").
func (f *inference) readRaw() error {
	inputs := f.Config().GetInput()
	if len(inputs) != 1 {
		return f.rawError("Raw request must only have 1 input (found 1) to be deduced but got %d inputs in '%s' model configuration",
			len(inputs), f.Model)
	}
	in := inputs[0]
	t := tensor.Tensor{Name: in.GetName(), Type: tensor.DataType(in.GetDataType()), Data: f.body}
	t.Shape = append(t.Shape, in.GetDims()...)
	if err := f.fitRaw(&t); err != nil {
		return err
	}
	if f.Config().GetMaxBatchSize() > 0 {
		t.Shape = append(tensor.Shape{1}, t.Shape...)
	}
	f.Binary = true
	return f.AddInput(t)
}

// fitRaw completes the shape. At most one extent is -1; it follows from the size.
func (f *inference) fitRaw(t *tensor.Tensor) error {
	open, known := -1, int64(1)
	for i, d := range t.Shape {
		switch {
		case d >= 0:
			known *= d
		case open >= 0:
			return f.rawError("The shape of the raw input '%s' can not be deduced because there are more than one variable-sized dimension", t.Name)
		default:
			open = i
		}
	}
	if t.Type == tensor.Bytes {
		if err := f.c.account.Grow(int64(len(t.Data))); err != nil {
			return err
		}
		return f.fitRawBytes(t, open < 0 && known == 1)
	}
	size, have := known*int64(t.Type.Size()), int64(len(t.Data))
	if open >= 0 && size > 0 {
		t.Shape[open] = have / size
		size *= t.Shape[open]
	}
	if have != size {
		return f.rawError("input byte size mismatch for input '%s' for model '%s'. Expected %d, got %d",
			rawName, f.Model, size, have)
	}
	return nil
}

// fitRawBytes makes the body one string.
func (f *inference) fitRawBytes(t *tensor.Tensor, single bool) error {
	if !single {
		return f.rawError("For BYTE datatype raw input '%s', the model must have input shape [1]", t.Name)
	}
	prefix := binary.LittleEndian.AppendUint32(make([]byte, 0, 4+len(t.Data)), uint32(len(t.Data)))
	t.Data = append(prefix, t.Data...)
	return nil
}

func (f *inference) rawError(format string, args ...any) error {
	return infer.Errorf(infer.InvalidArg, "%s%s", f.ErrorPrefix(), fmt.Sprintf(format, args...))
}
