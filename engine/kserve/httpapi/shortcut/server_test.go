package shortcut_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"conch/engine/budget"
	"conch/engine/kserve/httpapi/shortcut"
)

// fixture is a server with a client, both in memory.
type fixture struct {
	*shortcut.Server
	net.Conn
	answers *bufio.Reader
	closed  chan struct{}
	ended   chan error
}

// begin serves one client. how changes the server before.
func begin(t *testing.T, handler http.HandlerFunc, memory *budget.Budget, how func(*http.Server)) *fixture {
	t.Helper()
	inner := &http.Server{Handler: handler, ReadHeaderTimeout: 30 * time.Second, ReadTimeout: 30 * time.Second, IdleTimeout: 10 * time.Minute}
	if how != nil {
		how(inner)
	}
	client, end := net.Pipe()
	f := &fixture{Server: shortcut.Over(inner, memory), Conn: client, answers: bufio.NewReader(client), closed: make(chan struct{}), ended: make(chan error, 1)}
	l := &single{connection: make(chan net.Conn, 1), closed: make(chan struct{})}
	l.connection <- &told{Conn: end, closed: f.closed}
	go func() { f.ended <- f.Serve(l) }()
	t.Cleanup(func() {
		_ = f.Server.Close()
		_ = client.Close()
		if err := <-f.ended; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	return f
}

// told tells when it is closed.
type told struct {
	net.Conn
	closed chan struct{}
	once   sync.Once
}

func (c *told) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Conn.Close()
}

func (f *fixture) send(t *testing.T, text string) {
	t.Helper()
	if _, err := io.WriteString(f.Conn, text); err != nil {
		t.Fatal(err)
	}
}

func (f *fixture) answer(t *testing.T) *http.Response {
	t.Helper()
	r, err := http.ReadResponse(f.answers, nil)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return r
}

// ways counts by which way requests came.
type ways struct{ here, elsewhere int }

func (s *ways) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(fmt.Sprintf("%T", w), "*shortcut.") {
		s.here++
	} else {
		s.elsewhere++
	}
	_, _ = io.Copy(io.Discard, r.Body)
	w.Header()["Content-Type"], w.Header()["Content-Length"] = []string{"text/plain"}, []string{"2"}
	_, _ = io.WriteString(w, "ok")
}

// What clients of Triton send is served here, one request after the other; the first request of another kind takes the connection
// away.
func TestUsualRequestsAreServedHere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s ways
		f := begin(t, s.ServeHTTP, nil, nil)
		defer f.Conn.Close()
		curl := "POST /v2/models/add_sub/infer HTTP/1.1\r\nHost: 127.0.0.1:8000\r\nUser-Agent: curl/8.5.0\r\nAccept: */*\r\n" +
			"Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
		tritonclient := "POST /v2/models/add_sub/versions/1/infer HTTP/1.1\r\nHost: localhost:8000\r\nConnection: keep-alive\r\n" +
			"user-agent: geventhttpclient/2.3.1\r\nInference-Header-Content-Length: 2\r\nContent-Length: 6000\r\n\r\n"
		for range 3 {
			f.send(t, curl)
			f.answer(t)
			f.send(t, tritonclient)
			f.send(t, strings.Repeat("x", 6000))
			f.answer(t)
			f.send(t, get)
			f.answer(t)
		}
		if s != (ways{here: 9}) {
			t.Errorf("%+v", s)
		}
		for range 2 {
			f.send(t, strings.Replace(curl, "/infer", "/generate", 1))
			f.answer(t)
		}
		f.send(t, curl)
		f.answer(t)
		if s != (ways{here: 9, elsewhere: 3}) {
			t.Errorf("%+v", s)
		}
	})
}

// A client that says nothing, stops in the middle, or rests too long is let go in the time of net/http.
func TestSilenceIsBounded(t *testing.T) {
	for name, c := range map[string]struct {
		sent   string
		answer bool
		least  time.Duration
		most   time.Duration
	}{
		"nothing":          {"", false, 30 * time.Second, 31 * time.Second},
		"half a head":      {post, false, 30 * time.Second, 31 * time.Second},
		"no body":          {post + "Content-Length: 9\r\n\r\n", false, 30 * time.Second, 32 * time.Second},
		"half a body":      {post + "Content-Length: 9\r\n\r\n{}", false, 30 * time.Second, 32 * time.Second},
		"after an answer":  {plain, true, 10 * time.Minute, 10*time.Minute + time.Second},
		"after two, later": {get, true, 10 * time.Minute, 10*time.Minute + time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var s ways
				f := begin(t, s.ServeHTTP, nil, nil)
				go func() { _, _ = io.Copy(io.Discard, f.answers) }()
				began := time.Now()
				if c.sent != "" {
					f.send(t, c.sent)
				}
				if name == "after two, later" {
					time.Sleep(5 * time.Minute)
					began = time.Now()
					f.send(t, c.sent)
				}
				<-f.closed
				if took := time.Since(began); took < c.least || took > c.most {
					t.Errorf("the connection was closed after %v", took)
				}
				if c.answer != (s.here > 0) {
					t.Errorf("%+v", s)
				}
			})
		})
	}
}

// An idle connection does not delay the end. A request that runs is answered, and its connection closed.
func TestShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := begin(t, new(ways).ServeHTTP, nil, nil)
		f.send(t, plain)
		f.answer(t)
		began := time.Now()
		if err := f.Shutdown(t.Context()); err != nil || time.Since(began) > 0 {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		<-f.closed
	})
	synctest.Test(t, func(t *testing.T) {
		begun, goOn := make(chan struct{}), make(chan struct{})
		f := begin(t, func(w http.ResponseWriter, r *http.Request) {
			close(begun)
			<-goOn
			new(ways).ServeHTTP(w, r)
		}, nil, nil)
		go func() { _, _ = io.WriteString(f.Conn, plain) }()
		<-begun
		down := make(chan error)
		go func() { down <- f.Shutdown(context.Background()) }()
		synctest.Wait()
		select {
		case err := <-down:
			t.Fatalf("the server ended while a request ran: %v", err)
		default:
		}
		close(goOn)
		if r := f.answer(t); r.StatusCode != http.StatusOK || !r.Close {
			t.Errorf("%v", r)
		}
		<-f.closed
		if err := <-down; err != nil {
			t.Error(err)
		}
	})
}

// A shutdown whose time ends before a request does not wait longer, and Close ends the connection.
func TestShutdownIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun, goOn := make(chan struct{}), make(chan struct{})
		f := begin(t, func(http.ResponseWriter, *http.Request) {
			close(begun)
			<-goOn
		}, nil, nil)
		go func() { _, _ = io.WriteString(f.Conn, plain) }()
		<-begun
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		began := time.Now()
		_ = f.Shutdown(ctx)
		if took := time.Since(began); took != time.Second {
			t.Errorf("it took %v", took)
		}
		_ = f.Server.Close()
		<-f.closed
		close(goOn)
		synctest.Wait()
	})
}

// A handler that panics ends its connection alone, and the log says so.
func TestPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var text bytes.Buffer
		f := begin(t, func(http.ResponseWriter, *http.Request) { panic("a fault") }, nil,
			func(s *http.Server) { s.ErrorLog = log.New(&text, "", 0) })
		f.send(t, plain)
		<-f.closed
		synctest.Wait()
		if !strings.Contains(text.String(), "http: panic serving pipe: a fault") {
			t.Errorf("the log says %q", &text)
		}
	})
}

// What is read of a request beyond a few kilobytes is counted while it is held. Without memory for it, the request goes to net/http,
// and its handler decides.
func TestMemoryIsCounted(t *testing.T) {
	large := post + "Content-Length: 60000\r\n\r\n" + strings.Repeat(" ", 60000)
	synctest.Test(t, func(t *testing.T) {
		memory, held := budget.Of(1<<20), int64(0)
		var s ways
		f := begin(t, func(w http.ResponseWriter, r *http.Request) {
			held = memory.Used()
			s.ServeHTTP(w, r)
		}, memory, nil)
		f.send(t, large)
		f.answer(t)
		synctest.Wait()
		if s.here != 1 || held < 60000 || memory.Used() != 0 {
			t.Errorf("%+v, %d bytes were counted, and %d after the answer", s, held, memory.Used())
		}
		f.send(t, post+"Content-Length: 5000\r\n\r\n"+strings.Repeat(" ", 5000))
		f.answer(t)
		synctest.Wait()
		if s.here != 2 || held > 16<<10 || memory.Used() != 0 {
			t.Errorf("a small one: %+v, %d bytes were counted, and %d after the answer", s, held, memory.Used())
		}
		f.send(t, large[:1000])
		f.send(t, large[1000:5000])
		time.Sleep(time.Minute) // the request never ends
		if memory.Used() != 0 {
			t.Errorf("%d bytes are counted after the connection has ended", memory.Used())
		}
	})
	synctest.Test(t, func(t *testing.T) {
		memory := budget.Of(50000)
		var s ways
		f := begin(t, s.ServeHTTP, memory, nil)
		f.send(t, large)
		f.answer(t)
		if s != (ways{elsewhere: 1}) {
			t.Errorf("%+v", s)
		}
	})
}

// idleConnections is how many connections may be open without a request at the memory that idleMemory bounds.
const idleConnections, idleMemory = 2000, 60 << 20

// 2,000 connections that rest after a request hold little.
func TestIdleConnectionsAreSmall(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := shortcut.Over(&http.Server{Handler: new(single200)}, nil)
	go func() { _ = s.Serve(l) }()
	defer s.Close()
	before := inUse()
	for range idleConnections {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := io.WriteString(c, plain); err != nil {
			t.Fatal(err)
		}
		answer := make([]byte, 1<<10) // no reader of the client may count
		if n, err := c.Read(answer); err != nil || !bytes.Contains(answer[:n], []byte("ok")) {
			t.Fatalf("%q, %v", answer[:n], err)
		}
	}
	if held := inUse() - before; held > idleMemory {
		t.Errorf("%d idle connections hold %d bytes", idleConnections, held)
	} else {
		t.Logf("%d idle connections hold %d KB", idleConnections, held>>10)
	}
}

type single200 struct{}

func (*single200) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	w.Header()["Content-Type"], w.Header()["Content-Length"] = []string{"text/plain"}, []string{"2"}
	_, _ = io.WriteString(w, "ok")
}

// inUse is the memory of the heap and of the stacks.
func inUse() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

// A handler that changes its request changes no later one, also where all have the same head.
func TestARequestIsItsHandlersOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen []string
		f := begin(t, func(w http.ResponseWriter, r *http.Request) {
			seen = append(seen, fmt.Sprint(r.Method, r.URL, r.Host, r.Header, r.ContentLength))
			r.Header["Content-Type"][0] = "text/html"
			r.Header["User-Agent"] = append(r.Header["User-Agent"], "another")
			r.Header.Set("X-Added", "by the handler")
			r.Header.Del("Content-Length")
			r.URL.Path, r.URL.RawQuery, r.Host, r.Method = "/other", "a=b", "other", http.MethodPut
			new(ways).ServeHTTP(w, r)
		}, nil, nil)
		defer f.Conn.Close()
		for range 3 {
			f.send(t, plain)
			f.answer(t)
		}
		if len(seen) != 3 || seen[1] != seen[0] || seen[2] != seen[0] {
			t.Errorf("the handler saw\n%s", strings.Join(seen, "\n"))
		}
	})
}
