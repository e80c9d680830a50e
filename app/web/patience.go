package web

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// Patience limits how long the server waits for a client. Streams may last forever: a limit never
// applies to a whole request or answer, only to the time in which no byte arrives or is taken.
type Patience struct {
	Header time.Duration // until the header of a request has arrived
	Idle   time.Duration // between two requests
	Read   time.Duration // for the next part of a body
	Write  time.Duration // for the client to take a part of an answer
}

// usualPatience allows slow machines, and limits what a silent client uses.
var usualPatience = Patience{Header: 10 * time.Second, Idle: 2 * time.Minute, Read: 30 * time.Second, Write: 2 * time.Minute}

// impatient sets a deadline for every read of a body and every write of an answer.
func impatient(p Patience, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		if r.Body != nil && r.Body != http.NoBody {
			r.Body = &impatientBody{ReadCloser: r.Body, control: control, limit: p.Read}
			// net/http reads what the handler leaves of the body.
			defer func() { _ = control.SetReadDeadline(time.Now().Add(p.Read)) }()
		}
		next.ServeHTTP(&impatientWriter{ResponseWriter: w, control: control, limit: p.Write}, r)
	})
}

// impatientBody is a body whose next part must arrive in time.
type impatientBody struct {
	io.ReadCloser
	control *http.ResponseController
	limit   time.Duration
}

func (b *impatientBody) Read(p []byte) (int, error) {
	_ = b.control.SetReadDeadline(time.Now().Add(b.limit))
	n, err := b.ReadCloser.Read(p)
	if err == nil || errors.Is(err, io.EOF) {
		_ = b.control.SetReadDeadline(time.Time{}) // net/http reads on, to notice when the client leaves
	}
	return n, err
}

// impatientWriter writes parts that the client must take in time.
type impatientWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	limit   time.Duration
}

func (w *impatientWriter) Write(p []byte) (int, error) {
	_ = w.control.SetWriteDeadline(time.Now().Add(w.limit))
	return w.ResponseWriter.Write(p)
}

// Flush implements http.Flusher, which streams require.
func (w *impatientWriter) Flush() {
	_ = w.control.SetWriteDeadline(time.Now().Add(w.limit))
	_ = w.control.Flush()
}

// Unwrap lets http.ResponseController find the methods of the real writer.
func (w *impatientWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
