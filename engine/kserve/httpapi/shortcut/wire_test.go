package shortcut_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"conch/engine/kserve/httpapi/shortcut"
)

// listen serves a handler on a socket, and returns its address.
func listen(t *testing.T, handler http.HandlerFunc) (*shortcut.Server, string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := shortcut.Over(&http.Server{Handler: handler, ReadTimeout: time.Minute, IdleTimeout: 10 * time.Minute}, nil)
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() { _ = s.Close() })
	return s, l.Addr().String()
}

// caller is a client on a socket.
type caller struct {
	*net.TCPConn
	answers *bufio.Reader
}

func dial(t *testing.T, address string) *caller {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	return &caller{c.(*net.TCPConn), bufio.NewReader(c)}
}

func (c *caller) send(t *testing.T, text string) {
	t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		t.Error(err)
	}
}

func (c *caller) answer(t *testing.T) *http.Response {
	t.Helper()
	r, err := http.ReadResponse(c.answers, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, r.Body)
	return r
}

// A client whose next request is there before its answer does not keep others waiting.
func TestClientsAreServedInTurns(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const many = 300
	var quick, other *caller
	served, before := 0, 0 // requests of the quick client: all, and those before the other one's
	done := make(chan struct{})
	_, address := listen(t, func(w http.ResponseWriter, r *http.Request) {
		defer new(single200).ServeHTTP(w, r)
		if strings.HasSuffix(r.URL.Path, "/ready") {
			before = served
			return
		}
		switch served++; served {
		case 1:
			other.send(t, get)
			quick.send(t, plain)
		case many:
			close(done)
		default:
			quick.send(t, plain)
		}
	})
	quick = dial(t, address)
	go func() { _, _ = io.Copy(io.Discard, quick) }()
	other = dial(t, address)
	other.send(t, get) // its first wait is behind it
	other.answer(t)
	quick.send(t, plain)
	other.answer(t)
	<-done
	if before > many/10 {
		t.Errorf("%d requests of one client were served before the first one of another", before)
	}
}

// A client that is alone is read on at once. It keeps neither others waiting nor the server from its end.
func TestAClientThatIsAlone(t *testing.T) {
	s, address := listen(t, new(single200).ServeHTTP)
	alone, over := dial(t, address), make(chan struct{})
	for range 100 {
		alone.send(t, plain)
		alone.answer(t)
	}
	go func() {
		defer close(over)
		for {
			if _, err := io.WriteString(alone, plain); err != nil {
				return
			}
			r, err := http.ReadResponse(alone.answers, nil)
			if err != nil {
				return
			}
			_, _ = io.Copy(io.Discard, r.Body)
		}
	}()
	for range 20 {
		other := dial(t, address)
		for range 3 {
			other.send(t, get)
			other.answer(t)
			time.Sleep(5 * time.Millisecond) // the first one is alone again
		}
		_ = other.Close()
	}
	if err := s.Shutdown(context.Background()); err != nil {
		t.Error(err)
	}
	<-over
}

// A client that ends its half of the connection together with a request is let go soon after the answer.
func TestAnEndBesideARequestIsNoticed(t *testing.T) {
	t.Parallel()
	begun, goOn := make(chan struct{}), make(chan struct{})
	_, address := listen(t, func(w http.ResponseWriter, r *http.Request) {
		close(begun)
		<-goOn // so the end is there when the answer is sent
		new(single200).ServeHTTP(w, r)
	})
	c := dial(t, address)
	c.send(t, plain)
	<-begun
	if err := c.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	close(goOn)
	c.answer(t)
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	if _, err := c.answers.ReadByte(); err != io.EOF {
		t.Errorf("%v, want the connection's end", err)
	}
}

// Close ends the connection of a request that runs, and does not wait for its handler.
func TestCloseDoesNotWait(t *testing.T) {
	begun, goOn := make(chan struct{}), make(chan struct{})
	s, address := listen(t, func(http.ResponseWriter, *http.Request) {
		close(begun)
		<-goOn
	})
	defer close(goOn)
	c := dial(t, address)
	c.send(t, plain)
	<-begun
	_ = s.Close()
	if _, err := c.answers.ReadByte(); err == nil {
		t.Error("a byte came after the end")
	}
}

// A shutdown lets the request that runs end.
func TestShutdownOnASocket(t *testing.T) {
	begun, goOn := make(chan struct{}), make(chan struct{})
	s, address := listen(t, func(w http.ResponseWriter, r *http.Request) {
		close(begun)
		<-goOn
		new(single200).ServeHTTP(w, r)
	})
	resting, c := dial(t, address), dial(t, address)
	c.send(t, plain)
	<-begun
	down := make(chan error)
	go func() { down <- s.Shutdown(context.Background()) }()
	if _, err := resting.answers.ReadByte(); err != io.EOF {
		t.Errorf("%v, want the end of a connection without a request", err)
	}
	close(goOn)
	if r := c.answer(t); r.StatusCode != http.StatusOK {
		t.Error(r.Status)
	}
	if err := <-down; err != nil {
		t.Error(err)
	}
}

// A request that comes in parts is served here, and the next one too.
func TestPartsOnASocket(t *testing.T) {
	var s ways
	_, address := listen(t, s.ServeHTTP)
	c := dial(t, address)
	text := post + "Content-Length: 60000\r\n\r\n" + strings.Repeat("x", 60000)
	for range 3 {
		for at := 0; at < len(text); at += 9000 {
			c.send(t, text[at:min(at+9000, len(text))])
			time.Sleep(time.Millisecond)
		}
		c.answer(t)
		c.send(t, get)
		c.answer(t)
	}
	if s != (ways{here: 6}) {
		t.Errorf("%+v", s)
	}
}
