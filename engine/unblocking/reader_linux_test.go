package unblocking

import (
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A reader waits for bytes, takes what has come, and ends as the connection's own Read does.
func TestReader(t *testing.T) {
	server, client := connected(t)
	r := NewReader(Raw(server))
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
	server, client := connected(t)
	_ = client.(*net.TCPConn).SetLinger(0)
	_ = client.Close()
	n, err := NewReader(Raw(server)).Read(make([]byte, 4))
	if n != 0 || !errors.Is(err, syscall.ECONNRESET) || !strings.HasPrefix(err.Error(), "read: ") {
		t.Error(n, err)
	}
}
