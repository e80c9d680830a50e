package unblocking_test

import (
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"conch/engine/unblocking"
)

// pair returns both ends of a connection.
func pair(t *testing.T) (client, server net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if client, err = net.Dial("tcp", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if server, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = client.Close(), server.Close() })
	return client, server
}

// A reader waits for bytes, takes what has come, and ends as the connection's own Read does.
func TestReader(t *testing.T) {
	client, server := pair(t)
	r := unblocking.NewReader(unblocking.Raw(server))
	room := make([]byte, 4)
	for _, text := range []string{"abc", "defghij"} {
		go func() { _, _ = io.WriteString(client, text) }()
		got := ""
		for len(got) < len(text) {
			n, err := r.Read(room)
			if n == 0 || err != nil {
				t.Fatal(n, err)
			}
			got += string(room[:n])
		}
		if got != text {
			t.Errorf("%q, want %q", got, text)
		}
	}
	_ = server.SetReadDeadline(time.Unix(1, 0))
	if n, err := r.Read(room); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("after the deadline:", n, err)
	}
	_ = server.SetReadDeadline(time.Time{})
	_ = client.Close()
	if n, err := r.Read(room); n != 0 || err != io.EOF {
		t.Error("after the end:", n, err)
	}
	_ = server.Close()
	if n, err := r.Read(room); n != 0 || !errors.Is(err, net.ErrClosed) {
		t.Error("after closing:", n, err)
	}
}

// A client that breaks the connection off is told apart from one that ends it.
func TestReset(t *testing.T) {
	client, server := pair(t)
	_ = client.(*net.TCPConn).SetLinger(0)
	_ = client.Close()
	n, err := unblocking.NewReader(unblocking.Raw(server)).Read(make([]byte, 4))
	if n != 0 || !errors.Is(err, syscall.ECONNRESET) || !strings.HasPrefix(err.Error(), "read: ") {
		t.Error(n, err)
	}
}
