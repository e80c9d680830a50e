package shortcut

import (
	"bytes"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"
)

// writer is the http.ResponseWriter of a request. It sends an answer at once when its first piece is the whole body. Otherwise
// it keeps the pieces until the handler has returned.
type writer struct {
	to     *wire
	server *Server
	began  time.Time
	header http.Header
	status int  // 0 until it is known
	length int  // the Content-Length that the handler has set; -1 without one
	given  int  // how much of the body the handler has written
	last   bool // the connection is closed after the answer
	sent   bool
	err    error        // of sending
	head   bytes.Buffer // the head, with a small body behind it
	kept   []byte       // pieces of the body
}

// copied is the largest body that is copied behind its head. A larger one is sent from where it is.
const copied = 16 << 10

// begin makes the writer ready for another request.
func (w *writer) begin(k *connection, now time.Time) {
	*w = writer{to: &k.wire, server: k.server, began: now, header: w.header, head: w.head}
	clear(w.header)
	w.head.Reset()
}

// Header implements http.ResponseWriter.
func (w *writer) Header() http.Header { return w.header }

// SetReadDeadline does nothing: the whole request has been read.
func (w *writer) SetReadDeadline(time.Time) error { return nil }

// WriteHeader implements http.ResponseWriter.
func (w *writer) WriteHeader(status int) {
	if w.status != 0 {
		return
	}
	w.status, w.length = status, -1
	if n, err := strconv.ParseUint(w.header.Get("Content-Length"), 10, 63); err == nil {
		w.length = int(n)
	}
	w.last = w.header.Get("Connection") == "close" || w.server.ending.Load()
	if w.length == 0 {
		w.send(nil)
	}
}

// Write implements http.ResponseWriter.
func (w *writer) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	if w.length >= 0 && w.given+len(p) > w.length {
		return 0, http.ErrContentLength
	}
	w.given += len(p)
	if len(p) == w.length && !w.sent {
		w.send(p)
		return len(p), w.err
	}
	w.kept = append(w.kept, p...)
	return len(p), nil
}

// end sends what is not sent yet. It reports whether the connection can be used for another request.
func (w *writer) end() bool {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	if !w.sent {
		w.send(w.kept)
	}
	return w.err == nil && !w.last && (w.length < 0 || w.given == w.length)
}

// send writes the head and the body.
func (w *writer) send(body []byte) {
	w.sent = true
	w.writeHead(body)
	if len(body) <= copied {
		w.head.Write(body)
		_, w.err = w.to.Write(w.head.Bytes())
		return
	}
	_, w.err = (&net.Buffers{w.head.Bytes(), body}).WriteTo(w.to.Conn)
}

// writeHead writes the head as net/http does: first what the handler has set, then what it has left out.
func (w *writer) writeHead(body []byte) {
	w.head.WriteString("HTTP/1.1 ")
	w.head.WriteString(strconv.Itoa(w.status))
	w.head.WriteByte(' ')
	w.head.WriteString(http.StatusText(w.status))
	w.head.WriteString("\r\n")
	_ = w.header.Write(&w.head) // a buffer never fails
	if w.header.Get("Date") == "" {
		w.line("Date", date(w.began))
	}
	if w.length < 0 {
		w.line("Content-Length", strconv.Itoa(len(body)))
	}
	if _, ok := w.header["Content-Type"]; !ok && len(body) > 0 && w.header.Get("Content-Encoding") == "" {
		w.line("Content-Type", http.DetectContentType(body))
	}
	if w.last && w.header.Get("Connection") != "close" {
		w.line("Connection", "close")
	}
	w.head.WriteString("\r\n")
}

func (w *writer) line(name, value string) {
	w.head.WriteString(name)
	w.head.WriteString(": ")
	w.head.WriteString(value)
	w.head.WriteString("\r\n")
}

// dated is a second as text.
type dated struct {
	second int64
	text   string
}

var today atomic.Pointer[dated]

// date returns a time as the Date header has it. The text is made once a second.
func date(at time.Time) string {
	second := at.Unix()
	if d := today.Load(); d != nil && d.second == second {
		return d.text
	}
	d := &dated{second, at.UTC().Format(http.TimeFormat)}
	today.Store(d)
	return d.text
}
