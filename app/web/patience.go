package web

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// Patience is how long the server waits for a client. Streams may last for ever: it is never the whole of a request or
// an answer that is bounded, only the time in which nothing at all arrives or is taken.
type Patience struct {
	Header time.Duration // until the header of a request has arrived
	Idle   time.Duration // between two requests
	Read   time.Duration // for the next part of a body
	Write  time.Duration // for a part of an answer to be taken
}

// usualPatience is generous to slow machines, and bounds what a silent client holds.
var usualPatience = Patience{Header: 10 * time.Second, Idle: 2 * time.Minute, Read: 30 * time.Second, Write: 2 * time.Minute}

// impatient returns every read of a body and every write of an answer a deadline of its own.
func impatient(p Patience, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		if r.Body != nil && r.Body != http.NoBody {
			r.Body = &impatientBody{ReadCloser: r.Body, control: control, limit: p.Read}
			// What the handler leaves of the body is read by net/http.
			defer func() { _ = control.SetReadDeadline(time.Now().Add(p.Read)) }()
		}
		next.ServeHTTP(&impatientWriter{ResponseWriter: w, control: control, limit: p.Write}, r)
	})
}

// impatientBody is a body whose next part has to arrive in time.
type impatientBody struct {
	io.ReadCloser
	control *http.ResponseController
	limit   time.Duration
}

func (b *impatientBody) Read(p []byte) (int, error) {
	_ = b.control.SetReadDeadline(time.Now().Add(b.limit))
	n, err := b.ReadCloser.Read(p)
	if err == nil || errors.Is(err, io.EOF) {
		_ = b.control.SetReadDeadline(time.Time{}) // net/http goes on reading, to notice when the client leaves
	}
	return n, err
}

// impatientWriter writes parts that have to be taken in time.
type impatientWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	limit   time.Duration
}

func (w *impatientWriter) Write(p []byte) (int, error) {
	_ = w.control.SetWriteDeadline(time.Now().Add(w.limit))
	return w.ResponseWriter.Write(p)
}

// Flush implements http.Flusher, which streams insist on.
func (w *impatientWriter) Flush() {
	_ = w.control.SetWriteDeadline(time.Now().Add(w.limit))
	_ = w.control.Flush()
}

// Unwrap lets http.ResponseController find what the writer really can.
func (w *impatientWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
