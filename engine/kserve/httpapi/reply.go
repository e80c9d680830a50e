package httpapi

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"conch/engine/infer"
	"conch/engine/kserve"
	"conch/engine/kserve/httpapi/jsondoc"
	"conch/engine/kserve/refusals"
)

const (
	typeJSON   = "application/json"
	typePlain  = "text/plain"
	typeBinary = "application/octet-stream"
)

// plainError is an error whose reply has the library's default content type in Triton.
type plainError struct{ err error }

func (e plainError) Error() string { return e.err.Error() }
func (e plainError) Unwrap() error { return e.err }

// asPlain marks an error for a text/plain reply; nil stays nil.
func asPlain(err error) error {
	if err == nil {
		return nil
	}
	return plainError{err}
}

// error replies with an error's text and its code's status.
func (c *call) error(err error) {
	kind := typeJSON
	var plain plainError
	if errors.As(err, &plain) {
		kind = typePlain
	}
	c.fail(kserve.HTTPStatus(err), kind, messageOf(err))
}

// messageOf returns an error's sentence for the client.
func messageOf(err error) string {
	var known *infer.Error
	if errors.As(err, &known) {
		return known.Message
	}
	return err.Error()
}

func (c *call) fail(status int, kind, text string) {
	if c.r.Context().Err() == nil { // a client that has left was not refused
		c.refusals.AddHTTP("HTTP", c.r, status, refusals.Refusal{Model: c.model, Version: c.version, ID: c.id, Reason: text, Ran: c.ran})
	}
	var b jsondoc.Builder
	b.Begin('{')
	b.Member("error", text)
	b.End('}')
	c.send(status, kind, b.Bytes)
}

// json replies 200 with a document.
func (c *call) json(body []byte) { c.send(http.StatusOK, typeJSON, body) }

// empty replies with only a status and the library's default content type (docs/triton/http.md,
// "Status codes").
func (c *call) empty(status int, kind string) { c.send(status, kind, nil) }

// send writes a whole reply. It ignores the error of a client that has left.
func (c *call) send(status int, kind string, body []byte) {
	header, values := c.w.Header(), [...]string{kind, strconv.Itoa(len(body))}
	header["Content-Type"], header["Content-Length"] = values[:1:1], values[1:]
	c.w.WriteHeader(status)
	_, _ = c.w.Write(body)
}

// replyEncoding chooses gzip, deflate or "" from an Accept-Encoding header (docs/triton/http.md,
// "Compression"): the highest q wins, and the first among equals. Names are case sensitive; "*" and
// unknown names are ignored.
func replyEncoding(header string) string {
	best, bestQ := "", 0.0
	for item := range strings.SplitSeq(header, ",") {
		name, params, _ := strings.Cut(strings.TrimSpace(item), ";")
		name = strings.TrimSpace(name)
		if name != "gzip" && name != "deflate" && name != identity {
			continue
		}
		if q := quality(params); q > bestQ {
			best, bestQ = name, q
		}
	}
	if best == identity {
		return ""
	}
	return best
}

func quality(params string) float64 {
	text, ok := strings.CutPrefix(strings.TrimSpace(params), "q=")
	if !ok {
		return 1
	}
	q, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0
	}
	return q
}

// compressor is the interface of both kinds of writers.
type compressor interface {
	io.WriteCloser
	Reset(io.Writer)
}

// compressors are reused, because each takes over a megabyte. They have the fastest level, because replies go to
// a near machine.
var compressors = map[string]*sync.Pool{
	"gzip": {New: func() any {
		w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is a valid one
		return w
	}},
	"deflate": {New: func() any {
		w, _ := zlib.NewWriterLevel(nil, zlib.BestSpeed)
		return w
	}},
}

// compress returns body in an encoding that replyEncoding chose.
func compress(body []byte, encoding string) []byte {
	pool := compressors[encoding]
	w := pool.Get().(compressor)
	defer pool.Put(w)
	var out bytes.Buffer
	w.Reset(&out)
	// A bytes.Buffer never fails.
	_, _ = w.Write(body)
	_ = w.Close()
	w.Reset(nil)
	return out.Bytes()
}
