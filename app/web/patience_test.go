package web_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"testing"
	"time"

	"conch/app/web"
)

func host(t *testing.T, s *web.Server) string {
	t.Helper()
	u, err := url.Parse(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	return u.Host
}

// TestSilentClientsAreLetGo: each of these clients once held its connection forever.
func TestSilentClientsAreLetGo(t *testing.T) {
	soon := web.Patience{Header: 50 * time.Millisecond, Idle: 50 * time.Millisecond, Read: 50 * time.Millisecond, Write: time.Minute}
	s := serve(t, web.Options{Port: freePort(t), Patience: soon})
	at := host(t, s)
	for name, said := range map[string]string{
		"nothing":               "",
		"half a header":         "GET / HTTP/1.1\r\nHost: " + at + "\r\n",
		"idle after a request":  "GET / HTTP/1.1\r\nHost: " + at + "\r\n\r\n",
		"half a body, no token": fmt.Sprintf("POST /api/x HTTP/1.1\r\nHost: %s\r\nContent-Length: 100\r\n\r\nx", at),
		"half a body":           fmt.Sprintf("POST /api/read HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Length: 100\r\n\r\nx", at, s.Token()),
	} {
		t.Run(name, func(t *testing.T) {
			conn, err := net.Dial("tcp", at)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = conn.Close() }()
			if _, err := io.WriteString(conn, said); err != nil {
				t.Fatal(err)
			}
			_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
			if _, err := io.Copy(io.Discard, conn); err != nil {
				t.Errorf("the connection is held: %v", err)
			}
		})
	}
}

// TestStreamsAreNotCut: a stream arrives whole, though its pauses are longer than every limit.
func TestStreamsAreNotCut(t *testing.T) {
	const limit = 200 * time.Millisecond
	soon := web.Patience{Header: time.Minute, Idle: limit, Read: limit, Write: limit}
	gone := make(chan struct{})
	api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		for i := range 3 {
			select {
			case <-time.After(3 * limit):
			case <-r.Context().Done():
				return
			}
			fmt.Fprintf(w, "part %d\n", i)
			w.(http.Flusher).Flush()
		}
		<-r.Context().Done() // ends when the client leaves
		close(gone)
	})
	s := serveAPI(t, web.Options{Port: freePort(t), Patience: soon}, api)
	conn, err := net.Dial("tcp", host(t, s))
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(conn, "POST /api/x HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Length: 4\r\n\r\nbody", host(t, s), s.Token())
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(answer.Body)
	for i := range 3 {
		if !lines.Scan() || lines.Text() != fmt.Sprintf("part %d", i) {
			t.Fatalf("part %d reads %q, %v", i, lines.Text(), lines.Err())
		}
	}
	_ = conn.Close()
	select {
	case <-gone:
	case <-time.After(time.Minute):
		t.Error("nobody noticed that the client left")
	}
}
