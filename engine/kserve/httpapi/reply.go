package httpapi

import (
	"errors"
	"net/http"
	"strconv"

	"conch/engine/infer"
	"conch/engine/kserve"
	"conch/engine/kserve/httpapi/jsondoc"
)

const (
	typeJSON   = "application/json"
	typePlain  = "text/plain"
	typeBinary = "application/octet-stream"
)

// plainError is an error whose reply Triton leaves at the library's default type.
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
	text := err.Error()
	var known *infer.Error
	if errors.As(err, &known) {
		text = known.Message
	}
	c.fail(kserve.HTTPStatus(err), kind, text)
}

func (c *call) fail(status int, kind, text string) {
	var b jsondoc.Builder
	b.Begin('{')
	b.Member("error", text)
	b.End('}')
	c.send(status, kind, b.Bytes)
}

// json replies 200 with a document.
func (c *call) json(body []byte) { c.send(http.StatusOK, typeJSON, body) }

// empty replies with a status alone and the library's default type (docs/triton/http.md, "Status
// codes").
func (c *call) empty(status int, kind string) { c.send(status, kind, nil) }

// send writes a whole reply. A client that has gone is no concern of ours.
func (c *call) send(status int, kind string, body []byte) {
	header, values := c.w.Header(), [...]string{kind, strconv.Itoa(len(body))}
	header["Content-Type"], header["Content-Length"] = values[:1:1], values[1:]
	c.w.WriteHeader(status)
	_, _ = c.w.Write(body)
}
