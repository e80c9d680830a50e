package httpapi

import (
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"conch/configedit/folder"
	"conch/engine/budget"
	"conch/engine/infer"
	"conch/engine/kserve/httpapi/jsondoc"
)

// jsonLengthHeader is the header with the number of JSON bytes in a body; tensors follow
// (docs/triton/http.md, "Binary data").
const jsonLengthHeader = "Inference-Header-Content-Length"

// errUnread is in the chain of every refusal of a body that was not read to its end.
var errUnread = errors.New("not read to the end")

func unread(err error) error { return fmt.Errorf("%w: %w", errUnread, err) }

func tooLarge(size, limit int64) error {
	return unread(infer.Errorf(infer.InvalidArg,
		"Request of at least %d bytes exceeds the maximum allowed input size of %d bytes. "+
			"Use --http-max-input-size to increase the limit.", size, limit))
}

// drained is how much of a refused body is still read. A client that is sending does not read the answer yet. If the
// connection closes during the sending, the answer is lost.
const drained = 256 << 20

// lastBytes is how long the draining may take.
const lastBytes = 30 * time.Second

// refuse answers at once, and then lets the client finish sending.
func (c *call) refuse(err error) {
	control := http.NewResponseController(c.w)
	_ = control.EnableFullDuplex() // without full duplex, the answer may be lost
	c.w.Header().Set("Connection", "close")
	c.error(err)
	_ = control.Flush()
	c.account.Close() // the bytes that were read are not needed any more
	_ = control.SetReadDeadline(time.Now().Add(lastBytes))
	_, _ = io.CopyN(io.Discard, c.r.Body, drained)
}

// jsonLength reads jsonLengthHeader. Without the header, the whole body is JSON
// (docs/triton/http.md, "Binary data").
func (c *call) jsonLength(whole int64) (int64, error) {
	if _, sent := c.r.Header[jsonLengthHeader]; !sent {
		return whole, nil
	}
	text := c.r.Header.Get(jsonLengthHeader)
	n, err := parseLength(text)
	switch {
	case errors.Is(err, strconv.ErrSyntax):
		return 0, infer.Errorf(infer.InvalidArg, "Unable to parse '%s', got: %s", jsonLengthHeader, text)
	case err != nil || n > whole || n < 0:
		return 0, infer.Errorf(infer.InvalidArg, "inference header size should be in range (0, %d), got: %s", whole, text)
	}
	return n, nil
}

// parseLength reads a number. As in Triton, text after it is ignored.
func parseLength(text string) (int64, error) {
	return strconv.ParseInt(folder.LeadingNumber(text), 10, 64)
}

// readBody reads and decompresses a body into b. A body that is too large by its headers is refused
// without reading it.
func (h *handler) readBody(c *call, b *buffer) error {
	size, jsonSize := c.r.ContentLength, int64(-1)
	if text := c.r.Header.Get(jsonLengthHeader); text != "" {
		if n, err := parseLength(text); err == nil {
			jsonSize = n
		}
	}
	encoding := contentEncoding(c.r.Header)
	limit := h.opts.MaxInput
	if jsonSize > 0 && encoding == identity {
		limit = h.opts.MaxBody
	}
	if size > limit {
		return tooLarge(size, limit)
	}
	if jsonSize > h.opts.MaxInput {
		return tooLarge(jsonSize, h.opts.MaxInput)
	}
	switch encoding {
	case identity:
		return b.fill(h.body(c, size, limit))
	case "gzip", "deflate":
		return b.inflate(h.body(c, -1, limit), encoding)
	}
	c.w.Header()["Accept-Encoding"] = []string{"gzip, deflate"}
	return asPlain(infer.Errorf(infer.Unsupported, "Unsupported compression type"))
}

// identity is the encoding of a body that is not compressed.
const identity = "identity"

// contentEncoding returns the encoding of a body. An empty header is not a missing one: it names no known encoding, as in
// Triton.
func contentEncoding(header http.Header) string {
	if values := header["Content-Encoding"]; len(values) > 0 {
		return values[0]
	}
	return identity
}

// body returns a request's body. The time for each part of it is limited.
func (h *handler) body(c *call, hint, limit int64) body {
	return body{
		Reader: c.r.Body, account: &c.account, hint: hint, limit: limit,
		renew: func() { c.deadline(time.Now().Add(h.opts.Patience)) },
	}
}

// inflaterCost is the memory that the decompression of a body takes, besides the body.
const inflaterCost = 48 << 10

// inflate reads a compressed body. deflate has zlib's frame (docs/triton/http.md, "Compression").
func (b *buffer) inflate(r body, encoding string) error {
	if err := r.account.Grow(inflaterCost); err != nil {
		return unread(err)
	}
	defer r.account.Give(inflaterCost)
	sent := &renewing{Reader: r.Reader, renew: r.renew}
	var err error
	if encoding == "gzip" {
		r.Reader, err = gzip.NewReader(sent)
	} else {
		r.Reader, err = zlib.NewReader(sent)
	}
	r.renew = func() {}
	if err == nil {
		r.Reader = inflating{r.Reader, encoding}
		return b.fill(r)
	}
	if sent.empty() {
		return asPlain(infer.Errorf(infer.InvalidArg, "nothing to be decompressed"))
	}
	return infer.Errorf(infer.InvalidArg, "failed to decompress the request body as %s: %v", encoding, err)
}

// inflating reads a compressed body, and says so in its errors.
type inflating struct {
	io.Reader
	encoding string
}

func (r inflating) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("decompress it as %s: %w", r.encoding, err)
	}
	return n, err
}

// renewing resets the client's deadline after each piece of a compressed body.
type renewing struct {
	io.Reader
	renew func()
	some  bool // a part has come
	ended bool
}

func (r *renewing) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	if err == nil {
		r.renew()
	}
	r.some, r.ended = r.some || n > 0, errors.Is(err, io.EOF)
	return n, err
}

// empty tells whether the body came to its end without a byte.
func (r *renewing) empty() bool { return r.ended && !r.some }

// readDocument reads a small body as JSON. A missing body counts as an empty object.
func (h *handler) readDocument(c *call) (*jsondoc.Value, error) {
	text, err := h.readText(c)
	if err != nil {
		return nil, err
	}
	if len(text) == 0 {
		return &jsondoc.Value{}, nil
	}
	return c.parse(text)
}

func (h *handler) readText(c *call) ([]byte, error) {
	b := new(buffer)
	err := b.fill(h.body(c, c.r.ContentLength, h.opts.MaxInput))
	c.read()
	return b.bytes, err
}

// read removes the deadline for the request. The answer has no deadline.
func (c *call) read() { c.deadline(time.Time{}) }

// deadline sets until when the client must send more. A server's own writer can set it directly; a wrapped writer
// needs a controller, which has to be created.
func (c *call) deadline(at time.Time) {
	if own, ok := c.w.(interface{ SetReadDeadline(at time.Time) error }); ok {
		_ = own.SetReadDeadline(at) // a closed connection needs none
		return
	}
	if !c.endless {
		c.endless = errors.Is(http.NewResponseController(c.w).SetReadDeadline(at), http.ErrNotSupported)
	}
}

// parse reads a document. Its errors have Triton's words (docs/triton/http.md, "Infer request").
func (c *call) parse(text []byte) (*jsondoc.Value, error) {
	return parsed(jsondoc.ParseWithin(text, c.account.Grow))
}

// parsed gives an error of parsing its words.
func parsed(doc *jsondoc.Value, err error) (*jsondoc.Value, error) {
	if err == nil {
		return doc, nil
	}
	var (
		depth  jsondoc.DepthError
		refuse *infer.Error
	)
	switch {
	case errors.As(err, &refuse):
		return nil, err
	case errors.As(err, &depth):
		return nil, infer.Errorf(infer.InvalidArg, "failed to parse the request JSON buffer: %v", err)
	}
	return nil, infer.Errorf(infer.Internal, "failed to parse the request JSON buffer: %v", err)
}

// buffer is memory that is reused by later requests.
type buffer struct {
	bytes []byte
	// counted is how much of it an account counts.
	counted int
}

const (
	firstRead  = 1 << 20         // largest first buffer when Content-Length is known
	unknown    = 4 << 10         // first buffer without Content-Length
	keptBuffer = 16<<20 + 64<<10 // a tensor of 16 MB with the rest of its request; larger ones go back to the garbage collector
)

var buffers = sync.Pool{New: func() any { return new(buffer) }}

func takeBuffer() *buffer { return buffers.Get().(*buffer) }

func (b *buffer) giveBack() {
	if cap(b.bytes) <= keptBuffer {
		b.bytes, b.counted = b.bytes[:0], 0
		buffers.Put(b)
	}
}

// reserve makes room for size bytes, counted in the account before it is taken.
func (b *buffer) reserve(account *budget.Account, size int) error {
	if err := account.Grow(int64(size - b.counted)); err != nil {
		return err
	}
	b.counted = size
	if cap(b.bytes) < size {
		larger := make([]byte, len(b.bytes), size)
		copy(larger, b.bytes)
		b.bytes = larger
	}
	return nil
}

// body is the source of a request's bytes.
type body struct {
	io.Reader
	account *budget.Account
	hint    int64  // its Content-Length; -1 without one
	limit   int64  // its maximum length
	renew   func() // resets the client's deadline for the next bytes
}

// fill reads a body to its end.
func (b *buffer) fill(r body) error {
	b.bytes = b.bytes[:0]
	whole := int(min(r.hint, r.limit)) + 1 // one byte more, to see the end
	first := unknown
	if r.hint >= 0 {
		first = min(whole, firstRead)
	}
	if err := b.reserve(r.account, first); err != nil {
		return unread(err)
	}
	for {
		n, err := r.Read(b.bytes[len(b.bytes):b.counted])
		b.bytes = b.bytes[:len(b.bytes)+n]
		switch {
		case int64(len(b.bytes)) > r.limit:
			return tooLarge(int64(len(b.bytes)), r.limit)
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return infer.Errorf(infer.InvalidArg, "failed to read the request body: %v", err)
		}
		if len(b.bytes) == b.counted {
			more := 2 * b.counted
			if b.counted < whole {
				more = min(more, whole)
			}
			if err := b.reserve(r.account, more); err != nil {
				return unread(err)
			}
		}
		r.renew()
	}
}
