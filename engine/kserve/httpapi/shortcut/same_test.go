package shortcut_test

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"conch/engine/kserve/httpapi"
	"conch/engine/kserve/httpapi/shortcut"
	"conch/engine/kserve/kservetest"
	"conch/engine/origin"
)

const (
	post  = "POST /v2/models/m/infer HTTP/1.1\r\nHost: localhost:8000\r\n"
	get   = "GET /v2/models/m/ready HTTP/1.1\r\nHost: localhost:8000\r\n\r\n"
	plain = post + "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
	add   = `{"inputs":[{"name":"IN","shape":[2],"datatype":"INT32","data":[1,2]}]}`
)

// attacks are requests that two servers could read differently, and requests that are read here.
var attacks = map[string]string{
	"plain":                         plain,
	"an inference":                  post + "Content-Length: " + strconv.Itoa(len(add)) + "\r\n\r\n" + add,
	"one after the other":           plain + plain + get + get + plain,
	"other heads on one connection": plain + strings.Replace(plain, "json", "octet-stream", 1) + get + plain,
	"an unknown model":              strings.Replace(plain, "/m/", "/nobody/", 1) + get,
	"a version":                     strings.Replace(plain, "/m/", "/m/versions/1/", 1) + strings.Replace(plain, "/m/", "/m/versions/99999999999999999999/", 1),
	"two lengths":                   post + "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}" + plain,
	"two lengths that differ":       post + "Content-Length: 2\r\nContent-Length: 20\r\n\r\n{}" + plain,
	"a list of lengths":             post + "Content-Length: 2, 2\r\n\r\n{}" + plain,
	"length and chunks":             post + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n" + get,
	"chunks and length":             post + "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n2\r\n{}\r\n0\r\n\r\n" + get,
	"chunks":                        post + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n" + get,
	"bad chunk":                     post + "Transfer-Encoding: chunked\r\n\r\n2;x\r\n{}x\r\n0\r\n\r\n" + get,
	"negative chunk":                post + "Transfer-Encoding: chunked\r\n\r\n-2\r\n{}\r\n0\r\n\r\n" + get,
	"obscured chunks":               post + "Transfer-Encoding: xchunked\r\nContent-Length: 2\r\n\r\n{}" + get,
	"chunks behind a tab":           post + "Transfer-Encoding:\tchunked\r\nContent-Length: 2\r\n\r\n{}" + get,
	"space before the colon":        post + "Content-Length : 2\r\n\r\n{}" + get,
	"space before the name":         post + " Content-Length: 2\r\n\r\n{}" + get,
	"a folded line":                 post + "X-A: b\r\n c\r\nContent-Length: 2\r\n\r\n{}" + get,
	"bare line feeds":               strings.ReplaceAll(plain, "\r\n", "\n") + get,
	"one bare line feed":            post + "X-A: b\nContent-Length: 2\r\n\r\n{}" + get,
	"a bare carriage return":        post + "X-A: b\rContent-Length: 9\r\nContent-Length: 2\r\n\r\n{}" + get,
	"a zero byte":                   post + "X-A: b\x00c\r\nContent-Length: 2\r\n\r\n{}" + get,
	"a length with a sign":          post + "Content-Length: +2\r\n\r\n{}" + get,
	"a length with a zero":          post + "Content-Length: 02\r\n\r\n{}" + get,
	"a length in hex":               post + "Content-Length: 0x2\r\n\r\n{}" + get,
	"a negative length":             post + "Content-Length: -2\r\n\r\n{}" + get,
	"a huge length":                 post + "Content-Length: 9223372036854775808\r\n\r\n{}" + get,
	"an empty length":               post + "Content-Length: \r\n\r\n" + get,
	"no length":                     post + "\r\n{}" + get,
	"length zero":                   post + "Content-Length: 0\r\n\r\n" + get,
	"a GET with a body":             strings.Replace(get, "\r\n\r\n", "\r\nContent-Length: 2\r\n\r\n{}", 1) + get,
	"two hosts":                     post + "Host: evil.example\r\nContent-Length: 2\r\n\r\n{}",
	"no host":                       strings.Replace(plain, "Host: localhost:8000\r\n", "", 1),
	"an empty host":                 strings.Replace(plain, "localhost:8000", "", 1),
	"a host of others":              strings.Replace(plain, "localhost:8000", "evil.example", 1) + plain,
	"a host with a slash":           strings.Replace(plain, "localhost:8000", "localhost/evil", 1),
	"a page of others":              post + "Origin: http://evil.example\r\nContent-Length: 2\r\n\r\n{}" + plain,
	"a page of the same site":       post + "Sec-Fetch-Site: same-site\r\nContent-Length: 2\r\n\r\n{}",
	"continue":                      post + "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}" + get,
	"another expectation":           post + "Expect: cake\r\nContent-Length: 2\r\n\r\n{}" + get,
	"closing":                       post + "Connection: close\r\nContent-Length: 2\r\n\r\n{}" + get,
	"keep alive":                    post + "Connection: keep-alive\r\nContent-Length: 2\r\n\r\n{}" + get,
	"an upgrade":                    post + "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\nContent-Length: 2\r\n\r\n{}",
	"HTTP/2":                        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
	"HTTP/1.0":                      strings.Replace(plain, "1.1", "1.0", 1) + get,
	"HTTP/1.2":                      strings.Replace(plain, "1.1", "1.2", 1) + get,
	"an absolute address":           strings.Replace(plain, " /v2", " http://evil.example/v2", 1),
	"HEAD":                          strings.Replace(get, "GET", "HEAD", 1) + get,
	"lower case":                    strings.Replace(get, "GET", "get", 1),
	"percent signs":                 strings.Replace(plain, "/m/", "/%6d/", 1) + strings.Replace(plain, "/m/", "/%zz/", 1),
	"a query":                       strings.Replace(plain, "infer ", "infer?a=b ", 1) + get,
	"dots":                          strings.Replace(plain, "/m/", "/../m/", 1) + strings.Replace(plain, "/m/", "//m//", 1),
	"two spaces":                    strings.Replace(plain, "POST ", "POST  ", 1),
	"a space at the end":            strings.Replace(plain, "HTTP/1.1", "HTTP/1.1 ", 1),
	"lines after a body":            plain + "\r\n" + get,
	"lines after two bodies":        plain + "\r\n\r\n" + plain + "\r\n\r\n\r\n" + get,
	"a line after a GET":            get + "\r\n" + get,
	"an end in the head":            post + "Content-",
	"an end in the body":            post + "Content-Length: 20\r\n\r\n{}",
	"an end in a second request":    plain + "POS",
	"an end in a third request":     plain + get + "POST /v2/mo",
	"a long head":                   post + "X-A: " + strings.Repeat("a", 3000) + "\r\nContent-Length: 2\r\n\r\n{}" + get,
	"a head beyond the limit":       post + "X-A: " + strings.Repeat("a", 80<<10) + "\r\n\r\n",
	"many headers":                  post + strings.Repeat("X-A: b\r\n", 100) + "Content-Length: 2\r\n\r\n{}",
	"repeated headers":              post + "x-a: b\r\nX-A: c\r\nx_a: d\r\nContent-Length: 2\r\n\r\n{}",
	"no space before a value":       post + "X-A: 1\r\nX-B:b\r\nContent-Length: 2\r\n\r\n{}",
	"two spaces before a value":     post + "X-A: 1\r\nX-B:  b\r\nContent-Length: 2\r\n\r\n{}",
	"a space behind a value":        post + "X-A: 1\r\nX-B: b \r\nContent-Length: 2\r\n\r\n{}",
	"an empty value":                post + "X-A: 1\r\nX-B:\r\nContent-Length: 2\r\n\r\n{}",
	"an empty value behind a space": post + "X-A: 1\r\nX-B: \r\nContent-Length: 2\r\n\r\n{}",
	"spaces in a value":             post + "X-A: 1\r\nX-B: a b\r\nContent-Length: 2\r\n\r\n{}",
	"a line without a colon":        post + "X-A: 1\r\nX-B\r\nContent-Length: 2\r\n\r\n{}",
	"other letters in a name":       post + "X-Ä: b\r\nContent-Length: 2\r\n\r\n{}",
	"other letters in a value":      post + "X-A: ä\r\nContent-Length: 2\r\n\r\n{}",
	"no cache":                      post + "Pragma: no-cache\r\nContent-Length: 2\r\n\r\n{}",
	"the length of the JSON":        post + "Inference-Header-Content-Length: 2\r\nContent-Length: 4\r\n\r\n{}ab" + get,
	"compression":                   post + "Content-Encoding: gzip\r\nAccept-Encoding: gzip, deflate\r\nContent-Length: 2\r\n\r\n{}" + get,
	"a large body":                  post + "Content-Length: 20000\r\n\r\n" + strings.Repeat(" ", 20000) + get,
	"a body that is too large here": post + "Content-Length: 70000\r\n\r\n" + strings.Repeat(" ", 70000) + get,
	"a large answer":                strings.Replace(plain, "/m/", "/large/", 1) + get,
	"an answer without a length":    strings.Replace(plain, "/m/", "/unsized/", 1) + get,
	"an answer in pieces":           strings.Replace(plain, "/m/", "/pieces/", 1) + get,
	"an answer that is cut":         strings.Replace(plain, "/m/", "/short/", 1) + get,
	"an answer that closes":         strings.Replace(plain, "/m/", "/last/", 1) + get,
	"a panic":                       strings.Replace(plain, "/m/", "/panic/", 1) + get,
	"a body that nobody reads":      strings.Replace(plain, "/m/", "/unread/", 1) + get,
	"an empty answer":               strings.Replace(plain, "/m/", "/empty/", 1) + get,
	"generate":                      strings.Replace(plain, "/infer", "/generate", 1) + plain,
	"metadata":                      strings.Replace(get, "/ready", "", 1) + strings.Replace(get, "models/m/ready", "health/live", 1) + strings.Replace(get, "models/m/ready", "docs", 1),
}

// pause is where a client waits until the server waits too, before it sends on.
const pause = "\x1e"

// forms returns an attack in one piece, request by request, and with each head and body apart.
func forms(attack string) []string {
	requests := strings.NewReplacer("POST /v2", pause+"POST /v2", "GET /v2", pause+"GET /v2").Replace(attack)
	return []string{attack, requests, strings.ReplaceAll(requests, "\r\n\r\n", "\r\n\r\n"+pause)}
}

func TestAttacksAreReadAsNetHTTPReadsThem(t *testing.T) {
	for name, attack := range attacks {
		t.Run(name, func(t *testing.T) {
			for _, sent := range forms(attack) {
				same(t, []byte(sent), 0)
				same(t, []byte(sent), 13)
			}
		})
	}
}

func FuzzSameAsNetHTTP(f *testing.F) {
	for _, name := range slices.Sorted(maps.Keys(attacks)) {
		for _, sent := range forms(attacks[name]) {
			f.Add([]byte(sent), uint16(0))
		}
	}
	f.Fuzz(func(t *testing.T, sent []byte, piece uint16) {
		if len(sent) > 200<<10 {
			t.Skip("too long")
		}
		same(t, sent, int(piece))
	})
}

// same gives the same bytes, in the same pieces, to net/http and to the server here. Both must call the handler with the same
// requests, and send the same bytes.
func same(t *testing.T, sent []byte, piece int) {
	synctest.Test(t, func(t *testing.T) {
		for _, handler := range []http.Handler{new(recorder), real(t)} {
			wanted, wantedCalls := exchange(sent, piece, handler, func(s *http.Server) server { return s })
			got, calls := exchange(sent, piece, handler, func(s *http.Server) server { return shortcut.Over(s, nil) })
			if got != wanted {
				t.Errorf("net/http answers\n%s\nbut here it is\n%s", wanted, got)
			}
			if !slices.Equal(calls, wantedCalls) {
				t.Errorf("net/http calls the handler with\n%s\nbut here it is\n%s", wantedCalls, calls)
			}
		}
	})
}

// real is the handler of the HTTP port, behind its guard.
func real(t *testing.T) http.Handler {
	guard, err := origin.NewGuard(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return guard.Wrap(httpapi.New(kservetest.Identity(), httpapi.Options{MaxInput: 10000}))
}

type server interface {
	Serve(l net.Listener) error
	Close() error
}

var today = regexp.MustCompile(`(?m)^Date: .*\r$`)

// exchange serves a client that sends these bytes and then ends its half of the connection.
func exchange(sent []byte, piece int, handler http.Handler, over func(*http.Server) server) (answers string, calls []string) {
	c := &script{piece: piece, changed: make(chan struct{}), closed: make(chan struct{})}
	s := over(&http.Server{Handler: handler, MaxHeaderBytes: 64 << 10})
	l := &single{connection: make(chan net.Conn, 1), closed: make(chan struct{})}
	l.connection <- c
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Serve(l) // always an error: that it was closed
	}()
	c.play(bytes.Split(sent, []byte(pause)))
	synctest.Wait()
	_ = s.Close()
	<-done
	if r, ok := handler.(*recorder); ok {
		calls, r.calls = r.calls, nil
	}
	return today.ReplaceAllString(c.got.String(), "Date: today\r"), calls
}

// recorder is a handler that keeps what it is called with, and answers in many forms.
type recorder struct {
	mu    sync.Mutex
	calls []string
}

func (h *recorder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body []byte
	var err error
	if !strings.Contains(r.RequestURI, "unread") {
		body, err = io.ReadAll(r.Body)
	}
	h.mu.Lock()
	h.calls = append(h.calls, fmt.Sprintf("%s %#v %s %s host %q, %v, %d %v close %v, %v form %v, body %q %v, at %s", r.Method, r.URL, r.RequestURI, r.Proto,
		r.Host, r.Header, r.ContentLength, r.TransferEncoding, r.Close, r.Trailer, r.Form, body, err, r.RemoteAddr))
	h.mu.Unlock()
	text := "answer to " + strconv.Itoa(len(body))
	w.Header().Set("Content-Type", "text/x-"+strconv.Itoa(len(r.Header)))
	segments := strings.Split(r.URL.Path, "/")
	h.answer(w, segments[min(3, len(segments)-1)], text)
}

func (*recorder) answer(w http.ResponseWriter, form, text string) {
	switch form {
	case "panic":
		panic(http.ErrAbortHandler)
	case "empty":
		w.Header().Set("Content-Length", "0")
		w.WriteHeader(http.StatusBadRequest)
		return
	case "unsized":
		_, _ = io.WriteString(w, text)
		return
	case "large":
		text = strings.Repeat(text, 3000)
	case "last":
		w.Header().Set("Connection", "close")
	case "short":
		w.Header().Set("Content-Length", strconv.Itoa(len(text)+1))
		_, _ = io.WriteString(w, text)
		return
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(http.StatusNotFound)
	if form == "pieces" {
		_, _ = io.WriteString(w, text[:3])
		text = text[3:]
	}
	_, _ = w.Write([]byte(text)) // the client is there
}

// single is a listener with one client.
type single struct {
	connection chan net.Conn
	closed     chan struct{}
	once       sync.Once
}

func (l *single) Accept() (net.Conn, error) {
	select {
	case c := <-l.connection:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *single) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *single) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8000} }

// script is a client. What it sends arrives in pieces up to a size; 0 for no bound.
type script struct {
	mu       sync.Mutex
	sent     []byte
	piece    int
	finished bool
	aborted  bool          // a deadline has passed
	changed  chan struct{} // closed, and made again, with each change of these fields
	got      bytes.Buffer
	closed   chan struct{}
	once     sync.Once
}

// play sends each of the parts when the server waits for it, and then ends the client's half of the connection.
func (c *script) play(parts [][]byte) {
	for _, part := range parts {
		c.change(func() { c.sent = append(c.sent, part...) })
		synctest.Wait()
	}
	c.change(func() { c.finished = true })
	<-c.closed
}

func (c *script) change(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f()
	close(c.changed)
	c.changed = make(chan struct{})
}

func (c *script) Read(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		switch {
		case c.aborted:
			return 0, os.ErrDeadlineExceeded
		case len(c.sent) > 0:
			if c.piece > 0 {
				p = p[:min(len(p), c.piece)]
			}
			n := copy(p, c.sent)
			c.sent = c.sent[n:]
			return n, nil
		case c.finished:
			return 0, io.EOF
		}
		changed := c.changed
		c.mu.Unlock()
		<-changed
		c.mu.Lock()
	}
}

func (c *script) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.got.Write(p)
}

func (c *script) Close() error {
	c.once.Do(func() { close(c.closed) })
	return nil
}

// SetReadDeadline ends a read when the deadline has passed already. Others never pass here.
func (c *script) SetReadDeadline(at time.Time) error {
	c.change(func() { c.aborted = !at.IsZero() && !at.After(time.Now()) })
	return nil
}

func (c *script) LocalAddr() net.Addr              { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8000} }
func (c *script) RemoteAddr() net.Addr             { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 40000} }
func (c *script) SetDeadline(at time.Time) error   { return c.SetReadDeadline(at) }
func (c *script) SetWriteDeadline(time.Time) error { return nil }
