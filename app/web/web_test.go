package web_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/fstest"

	"conch/app/web"
)

func serve(t *testing.T, opts web.Options) *web.Server {
	t.Helper()
	return serveAPI(t, opts, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		fmt.Fprint(w, "api "+r.URL.Path)
	}))
}

func serveAPI(t *testing.T, opts web.Options, api http.Handler) *web.Server {
	t.Helper()
	if opts.Files == nil {
		opts.Files = fstest.MapFS{
			"index.html":       {Data: []byte("<title>Conch</title>")},
			"assets/main-1.js": {Data: []byte("main()")},
		}
	}
	opts.API = api
	s, err := web.Listen(opts)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- s.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return s
}

// freePort returns a free port, so that the test does not meet a workbench.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port
}

// visit is one request and the answer that it must get.
type visit struct {
	name, method, path string
	host               string
	header             map[string]string
	code               int
	body               string
}

func TestWhoIsLetIn(t *testing.T) {
	s := serve(t, web.Options{Port: freePort(t)})
	address, err := url.Parse(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	port := address.Port()
	bearer := "Bearer " + s.Token()
	for _, v := range []visit{
		{name: "page", path: "/", code: 200, body: "Conch"},
		{name: "place inside the page", path: "/models/digits", code: 200, body: "Conch"},
		{name: "asset", path: "/assets/main-1.js", code: 200, body: "main()"},
		{name: "missing asset", path: "/assets/none.js", code: 404},
		{name: "folder", path: "/assets/", code: 404},
		{name: "up and out", path: "/../../etc/passwd", code: 307, body: "/etc/passwd"},
		{name: "up and out, escaped", path: "/..%2f..%2fetc%2fpasswd", code: 400},
		{name: "up and out with a dot", path: "/assets/..%2f..%2fgo.mod", code: 404},
		{name: "posting to the page", method: "POST", path: "/", code: 405},
		{name: "api", path: "/api/x", header: map[string]string{"Authorization": bearer}, code: 200, body: "api /x"},
		{name: "api by name", path: "/api/x", host: "localhost:" + port, header: map[string]string{"Authorization": bearer}, code: 200},
		{name: "api from our page", path: "/api/x", header: map[string]string{"Authorization": bearer, "Origin": "http://127.0.0.1:" + port}, code: 200},
		{name: "no token", path: "/api/x", code: 401},
		{name: "token in the query", path: "/api/x?token=" + s.Token(), code: 401},
		{name: "wrong token", path: "/api/x", header: map[string]string{"Authorization": "Bearer " + strings.Repeat("0", 32)}, code: 401},
		{name: "longer token", path: "/api/x", header: map[string]string{"Authorization": bearer + "0"}, code: 401},
		{name: "other scheme", path: "/api/x", header: map[string]string{"Authorization": "Basic " + s.Token()}, code: 401},
		{name: "foreign host", path: "/", host: "evil.example:" + port, code: 403},
		{name: "foreign host, api", path: "/api/x", host: "evil.example:" + port, header: map[string]string{"Authorization": bearer}, code: 403},
		{name: "other port", path: "/", host: "127.0.0.1:1", code: 403},
		{name: "no port", path: "/", host: "127.0.0.1", code: 403},
		{name: "foreign origin", path: "/api/x", header: map[string]string{"Authorization": bearer, "Origin": "http://evil.example"}, code: 403},
		{name: "no origin to speak of", path: "/api/x", header: map[string]string{"Authorization": bearer, "Origin": "null"}, code: 403},
		{name: "another site by its kind alone", path: "/api/x", header: map[string]string{"Authorization": bearer, "Sec-Fetch-Site": "cross-site"}, code: 403},
		{name: "origin of another port", path: "/api/x", header: map[string]string{"Authorization": bearer, "Origin": "http://127.0.0.1:1"}, code: 403},
	} {
		t.Run(v.name, func(t *testing.T) { v.make(t, port) })
	}
}

func (v visit) make(t *testing.T, port string) {
	r, err := http.NewRequest(v.method, "http://127.0.0.1:"+port+v.path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if v.host != "" {
		r.Host = v.host
	}
	for key, value := range v.header {
		r.Header.Set(key, value)
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	body, _ := io.ReadAll(answer.Body)
	if answer.StatusCode != v.code || !strings.Contains(string(body), v.body) {
		t.Errorf("%d %q, want %d %q", answer.StatusCode, body, v.code, v.body)
	}
	if answer.Header.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(answer.Header.Get("Content-Security-Policy"), "frame-ancestors 'none'") || answer.Header.Get("Referrer-Policy") != "no-referrer" {
		t.Errorf("headers are %v", answer.Header)
	}
}

func TestTakenPort(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	port := taken.Addr().(*net.TCPAddr).Port
	for want, opts := range map[string]web.Options{
		fmt.Sprintf("port %d is taken by another program; choose another with --port", port): {Port: port},
		fmt.Sprintf("port %d is taken by squid (process 7)", port):                           {Port: port, HeldBy: func(int) string { return " by squid (process 7)" }},
		"this machine has no address 192.0.2.1":                                              {Address: "192.0.2.1", Port: port}, // RFC 5737: an address of nobody
		`"no.such.invalid" is not an IP address`:                                             {Address: "no.such.invalid", Port: port},
	} {
		if _, err := web.Listen(opts); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("said %v, want %q", err, want)
		}
	}
}

func TestTokensDiffer(t *testing.T) {
	a, b := serve(t, web.Options{}), serve(t, web.Options{})
	if a.Token() == b.Token() || len(a.Token()) != 32 || a.URL() == b.URL() {
		t.Errorf("tokens %s and %s", a.URL(), b.URL())
	}
}

// What HTTP/1.0 calls chunks is not answered as a request of its own.
func TestChunksOfHTTP10AreRefused(t *testing.T) {
	s := serve(t, web.Options{Port: freePort(t)})
	c, err := net.Dial("tcp", s.Listens())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	fmt.Fprint(c, "GET / HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\nGET /hidden HTTP/1.1\r\nHost: localhost\r\n\r\n")
	answers, err := io.ReadAll(c)
	if text := string(answers); err != nil || !strings.HasPrefix(text, "HTTP/1.0 400 ") || strings.Contains(text, "404") {
		t.Errorf("%v %s", err, text)
	}
}
