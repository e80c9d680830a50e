package serve_test

import (
	"io"
	"net"
	"testing"
	"time"

	"conch/engine/serve"
)

// A client beyond the limit waits until another has left, and is then served.
func TestConnectionsAreLimited(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := serve.LimitTo(inner, 1)
	accepted := make(chan net.Conn)
	go func() {
		for {
			connection, err := l.Accept()
			if err != nil {
				close(accepted)
				return
			}
			accepted <- connection
		}
	}()
	dial := func() net.Conn {
		connection, err := net.Dial("tcp", inner.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		return connection
	}
	dial()
	first := <-accepted
	second := dial()
	defer second.Close()
	select {
	case <-accepted:
		t.Fatal("two connections are open")
	case <-time.After(50 * time.Millisecond): // a wrong answer would come at once
	}
	first.Close()
	first.Close() // frees one place, not two
	served := <-accepted
	if _, err := served.Write([]byte("x")); err != nil {
		t.Error(err)
	}
	if text, err := io.ReadAll(io.LimitReader(second, 1)); string(text) != "x" || err != nil {
		t.Errorf("the second client read %q, %v", text, err)
	}
	l.Close()
	if _, open := <-accepted; open {
		t.Error("a closed listener accepts")
	}
}
