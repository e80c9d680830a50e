package httpapi

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"sync"

	"conch/engine/infer"
	"conch/engine/kserve/httpapi/jsondoc"
)

// jsonLengthHeader tells how many bytes of a body are JSON; tensors follow (A7).
const jsonLengthHeader = "Inference-Header-Content-Length"

// buffer is memory that requests hand on to each other.
type buffer struct{ bytes []byte }

const (
	firstRead  = 1 << 20 // memory taken on the word of Content-Length
	keptBuffer = 4 << 20 // larger ones go back to the garbage collector
)

var buffers = sync.Pool{New: func() any { return new(buffer) }}

func takeBuffer() *buffer { return buffers.Get().(*buffer) }

func (b *buffer) giveBack() {
	if cap(b.bytes) <= keptBuffer {
		b.bytes = b.bytes[:0]
		buffers.Put(b)
	}
}

// fill reads r to its end, and at most limit bytes of it.
func (b *buffer) fill(r io.Reader, hint, limit int64) error {
	b.bytes = slices.Grow(b.bytes[:0], int(min(max(hint, 0), firstRead))+1)
	for {
		n, err := r.Read(b.bytes[len(b.bytes):cap(b.bytes)])
		b.bytes = b.bytes[:len(b.bytes)+n]
		switch {
		case int64(len(b.bytes)) > limit:
			return tooLarge(int64(len(b.bytes)), limit)
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return infer.Errorf(infer.InvalidArg, "failed to read the request body: %v", err)
		}
		if len(b.bytes) == cap(b.bytes) {
			b.bytes = slices.Grow(b.bytes, len(b.bytes))
		}
	}
}

// errTooLarge is in the chain of every refusal of a body for its size.
var errTooLarge = errors.New("too large")

func tooLarge(size, limit int64) error {
	return fmt.Errorf("%w: %w", errTooLarge, infer.Errorf(infer.InvalidArg,
		"Request of at least %d bytes exceeds the maximum allowed input size of %d bytes. "+
			"Use --http-max-input-size to increase the limit.", size, limit))
}

// drained is how much of a refused body is still taken in. A client that is sending does not look for an answer, and a
// connection that is closed under it takes the answer away.
const drained = 256 << 20

// refuse answers at once, and then lets the client send what it has begun to send.
func (c *call) refuse(err error) {
	control := http.NewResponseController(c.w)
	_ = control.EnableFullDuplex() // where it cannot be had, the answer may get lost as before
	c.w.Header().Set("Connection", "close")
	c.error(err)
	_ = control.Flush()
	_, _ = io.CopyN(io.Discard, c.r.Body, drained)
}

// jsonLength reads the header of A7; absent, the whole of a body is JSON.
func (c *call) jsonLength(whole int64) (int64, error) {
	text := c.r.Header.Get(jsonLengthHeader)
	if text == "" {
		return whole, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, infer.Errorf(infer.InvalidArg, "Unable to parse '%s', got: %s", jsonLengthHeader, text)
	}
	return n, nil
}

// readBody reads and decompresses a body into b. What is too large by its headers is refused unread.
func (h *handler) readBody(c *call, b *buffer) error {
	size, jsonSize := c.r.ContentLength, int64(-1)
	if text := c.r.Header.Get(jsonLengthHeader); text != "" {
		jsonSize, _ = strconv.ParseInt(text, 10, 64)
	}
	encoding := c.r.Header.Get("Content-Encoding")
	limit := h.opts.MaxInput
	if jsonSize > 0 && (encoding == "" || encoding == "identity") {
		limit = h.opts.MaxBody
	}
	if size > limit {
		return tooLarge(size, limit)
	}
	if jsonSize > h.opts.MaxInput {
		return tooLarge(jsonSize, h.opts.MaxInput)
	}
	switch encoding {
	case "", "identity":
		return b.fill(c.r.Body, size, limit)
	case "gzip", "deflate":
		return b.inflate(c.r.Body, encoding, limit)
	}
	c.w.Header()["Accept-Encoding"] = []string{"gzip, deflate"}
	return asPlain(infer.Errorf(infer.Unsupported, "Unsupported compression type"))
}

// inflate reads a compressed body. deflate means zlib's wrapper (A8).
func (b *buffer) inflate(body io.Reader, encoding string, limit int64) error {
	var (
		r   io.Reader
		err error
	)
	if encoding == "gzip" {
		r, err = gzip.NewReader(body)
	} else {
		r, err = zlib.NewReader(body)
	}
	if err == nil {
		err = b.fill(r, 0, limit)
	}
	if err != nil && infer.CodeOf(err) != infer.InvalidArg {
		return infer.Errorf(infer.InvalidArg, "failed to decompress the request body as %s: %v", encoding, err)
	}
	return err
}

// readDocument reads a small body as JSON. Without a body it is an empty object.
func (h *handler) readDocument(c *call) (*jsondoc.Value, error) {
	b := new(buffer)
	if err := b.fill(c.r.Body, c.r.ContentLength, h.opts.MaxInput); err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(b.bytes)) == 0 {
		return &jsondoc.Value{}, nil
	}
	return parse(b.bytes)
}

// parse reads a document; what is wrong with it is told in Triton's words (A5).
func parse(text []byte) (*jsondoc.Value, error) {
	doc, err := jsondoc.Parse(text)
	var depth jsondoc.DepthError
	switch {
	case errors.As(err, &depth):
		return nil, infer.Errorf(infer.InvalidArg, "failed to parse the request JSON buffer: %v", err)
	case err != nil:
		return nil, infer.Errorf(infer.Internal, "failed to parse the request JSON buffer: %v", err)
	}
	return doc, nil
}
