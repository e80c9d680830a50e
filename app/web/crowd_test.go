package web_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"conch/app/web"
)

// TestSilentClientsKeepNobodyOut: many more clients than there are places connect, ask for the page or
// send nothing, and stay. The user still gets answers, and a running request continues.
func TestSilentClientsKeepNobodyOut(t *testing.T) {
	begun, end := make(chan struct{}), make(chan struct{})
	api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			close(begun)
			<-end
		}
		fmt.Fprint(w, "answer")
	})
	s := serveAPI(t, web.Options{Port: freePort(t)}, api)
	at := host(t, s)
	ask := func(path string) (string, error) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+at+"/api"+path, nil)
		if err != nil {
			return "", err
		}
		r.Header.Set("Authorization", "Bearer "+s.Token())
		answer, err := new(http.Transport).RoundTrip(r) // on a connection of its own
		if err != nil {
			return "", err
		}
		defer func() { _ = answer.Body.Close() }()
		text, err := io.ReadAll(answer.Body)
		return string(text), err
	}
	slow := make(chan error, 1)
	go func() {
		text, err := ask("/slow")
		if err == nil && text != "answer" {
			err = fmt.Errorf("answer %q", text)
		}
		slow <- err
	}()
	<-begun
	var crowd []net.Conn
	for i := range 3 * web.MostConnections {
		conn, err := net.Dial("tcp", at)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		crowd = append(crowd, conn)
		if i%3 > 0 {
			fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: %s\r\n%s", at, []string{"\r\n", ""}[i%2])
		}
	}
	if text, err := ask("/now"); err != nil || text != "answer" {
		t.Errorf("beside silent clients: %q, %v", text, err)
	}
	gone := make(chan bool, len(crowd))
	for _, conn := range crowd {
		go func() {
			_, err := io.Copy(io.Discard, conn)
			gone <- !errors.Is(err, net.ErrClosed) // ended by the server, not by this test
		}()
	}
	for range len(crowd) - web.MostConnections {
		select {
		case <-gone:
		case <-time.After(time.Minute):
			t.Fatal("more clients are there than there are places")
		}
	}
	close(end)
	if err := <-slow; err != nil {
		t.Errorf("a request under way: %v", err)
	}
}
