package shortcut_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"conch/engine/kserve/grpcapi/shortcut"
	"conch/engine/kserve/kservepb"
)

// secured serves with TLS. It returns the setting of clients.
func secured(t *testing.T) (*server, *tls.Config) {
	web := httptest.NewTLSServer(nil) // for its certificate
	t.Cleanup(web.Close)
	roots := x509.NewCertPool()
	roots.AddCert(web.Certificate())
	own := credentials.NewTLS(&tls.Config{Certificates: web.TLS.Certificates})
	l, err := net.Listen("tcp", "127.0.0.1:0") // its errors are those that TLS goes on after
	if err != nil {
		t.Fatal(err)
	}
	connect := func() (net.Conn, error) { return net.Dial("tcp", l.Addr().String()) }
	s := startOn(t, l, connect, func(o *shortcut.Options) { o.Patience = 100 * time.Millisecond }, own)
	return s, &tls.Config{RootCAs: roots, ServerName: "example.com"}
}

// Behind TLS, calls of all sizes are served by the road, and a handler sees the client's TLS.
func TestTLS(t *testing.T) {
	s, config := secured(t)
	conn, err := grpc.NewClient("passthrough:///test", grpc.WithTransportCredentials(credentials.NewTLS(config)),
		grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) { return s.connect() }))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	client := kservepb.NewGRPCInferenceServiceClient(conn)
	for _, size := range []int{1, 70_000, 900_000, 3 << 20} {
		r := infer("m", size)
		r.Id = "seen"
		if got, err := client.ModelInfer(t.Context(), r); err != nil || len(got.RawOutputContents[0]) != size {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
	if n := s.served(); n < 1 {
		t.Errorf("the road has served %d calls", n)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if info, ok := s.caller.AuthInfo.(credentials.TLSInfo); !ok || info.State.NegotiatedProtocol != "h2" {
		t.Errorf("a handler sees %#v", s.caller.AuthInfo)
	}
}

// A message that stops in the middle is passed on, and its connection goes on.
func TestSlowMessageBehindTLS(t *testing.T) {
	s, config := secured(t)
	config.NextProtos = []string{"h2"}
	r := newRaw(tls.Client(s.pipe(t), config))
	id, text := r.headers(inferPath, false), message("m", "", 1000)
	r.data(id, text[:500], false)
	if err := r.flush(); err != nil {
		t.Fatal(err)
	}
	await(t, "the message is gathered", func() bool { return s.memory.Used() > 0 })
	await(t, "it is passed on", func() bool { return s.memory.Used() == 0 })
	r.data(id, text[500:], true)
	next := r.call("m", 1)
	if err := r.flush(); err != nil {
		t.Fatal(err)
	}
	for _, got := range r.all(t, id, next) {
		if !strings.Contains(got, "grpc-status: 0") {
			t.Error(got)
		}
	}
	if n := s.served(); n != 1 {
		t.Errorf("the road has served %d calls", n)
	}
}

// A client that does not ask for HTTP/2 by TLS, and one without TLS, are not served.
func TestClientsWithoutTheProtocol(t *testing.T) {
	s, config := secured(t)
	for _, conn := range []net.Conn{tls.Client(s.pipe(t), config), s.pipe(t)} {
		r := newRaw(conn)
		r.call("m", 1)
		_ = r.flush() // the server may be gone before
		if got := r.until(t, 1); strings.Contains(got, "grpc-status") || strings.Contains(got, "timeout") {
			t.Error(got)
		}
	}
	if n := s.served(); n != 0 {
		t.Errorf("the road has served %d calls", n)
	}
}
