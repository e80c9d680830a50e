package serve_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"conch/engine/kserve/enginepb"
	"conch/engine/serve"
)

// addresses waits until the process has loaded its models, and returns its addresses.
func (p *process) addresses(t *testing.T) *enginepb.Server {
	t.Helper()
	_, stream := p.watch(t)
	return until(t, stream, func(e *enginepb.Event) bool { return e.Server.GetReady() }).Server
}

// post sends a request as a browser does for a page, with the browser's header.
func post(t *testing.T, address, path, body string, change func(r *http.Request)) (int, string) {
	t.Helper()
	r, err := http.NewRequest(http.MethodPost, "http://"+address+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "text/plain")
	change(r)
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

// A web page in the user's browser cannot reach an HTTP port, neither from its own site nor by DNS rebinding.
func TestPagesOfOtherSitesAreRefused(t *testing.T) {
	p := launch(t, nil, map[string]string{"a": "one"})
	defer p.stop(t)
	at := p.addresses(t)
	foreign := func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }
	image := func(r *http.Request) { r.Method = http.MethodGet; r.Header.Set("Sec-Fetch-Site", "cross-site") }
	rebound := func(r *http.Request) { r.Method = http.MethodGet; r.Host = "evil.example:8000" }
	for _, c := range []struct {
		address, path string
		change        func(r *http.Request)
		code          int
		said          string
	}{
		{at.HttpAddress, "/v2/repository/models/a/load", func(*http.Request) {}, 200, ""},
		{at.HttpAddress, "/v2/repository/models/a/load", foreign, 403, "--http-allow-origin"},
		{at.HttpAddress, "/v2/repository/models/a/unload", foreign, 403, "another web site"},
		{at.HttpAddress, "/v2/models/a", image, 403, "another web site"},
		{at.HttpAddress, "/v2/models/a", rebound, 403, `\"evil.example\"`},
		{at.HttpAddress, "/v2/models/a", rebound, 403, "--http-address"},
		{at.MetricsAddress, "/metrics", image, 403, "another web site"},
		{at.MetricsAddress, "/metrics", rebound, 403, "not a name of this machine"},
	} {
		if code, said := post(t, c.address, c.path, "{}", c.change); code != c.code || !strings.Contains(said, c.said) {
			t.Errorf("%s: %d %s, want %d %s", c.path, code, said, c.code, c.said)
		}
	}
}

func TestAllowedPagesAreServed(t *testing.T) {
	p := launch(t, func(f *serve.Flags) { f.AllowOrigin = []string{"https://dash.example"} }, map[string]string{"a": "one"})
	defer p.stop(t)
	at := p.addresses(t)
	for page, want := range map[string]int{"https://dash.example": 200, "https://evil.example": 403} {
		if code, said := post(t, at.HttpAddress, "/v2/repository/models/a/load", "{}", func(r *http.Request) { r.Header.Set("Origin", page) }); code != want {
			t.Errorf("%s: %d %s", page, code, said)
		}
	}
	f := flags("")
	f.AllowOrigin = []string{"dash.example"}
	if err := runBriefly(t, f); err == nil || !strings.Contains(err.Error(), "--http-allow-origin: \"dash.example\" is not the origin of a page") {
		t.Errorf("a word that is not an origin: %v", err)
	}
}

// What HTTP/1.0 calls chunks is not answered as a request of its own.
func TestChunksOfHTTP10AreRefused(t *testing.T) {
	p := launch(t, nil, map[string]string{"a": "one"})
	defer p.stop(t)
	at := p.addresses(t)
	for address, path := range map[string]string{at.HttpAddress: "/v2/models/a/infer", at.MetricsAddress: "/metrics"} {
		c, err := net.DialTimeout("tcp", address, 5*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_ = c.SetDeadline(time.Now().Add(10 * time.Second))
		fmt.Fprintf(c, "POST %s HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\nGET /v2/models/hidden HTTP/1.1\r\nHost: localhost\r\n\r\n", path)
		text, err := io.ReadAll(c)
		if err != nil || !strings.HasPrefix(string(text), "HTTP/1.0 400 ") || strings.Count(string(text), "\r\n\r\n") != 1 {
			t.Errorf("%s: %v %s", path, err, text)
		}
	}
}

// A browser begins every connection with an HTTP/1 request or with TLS. The gRPC port answers neither
// of them.
func TestGRPCIsNotForBrowsers(t *testing.T) {
	p := launch(t, nil, map[string]string{"a": "one"})
	defer p.stop(t)
	c, err := net.DialTimeout("tcp", p.addresses(t).GrpcAddress, 5*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(10 * time.Second))
	fmt.Fprint(c, "POST /inference.GRPCInferenceService/RepositoryModelUnload HTTP/1.1\r\nHost: localhost\r\nOrigin: https://evil.example\r\n"+
		"Content-Type: application/grpc\r\nTE: trailers\r\nUpgrade: h2c\r\nConnection: Upgrade\r\nContent-Length: 8\r\n\r\n\x00\x00\x00\x00\x03\x12\x01a")
	text, err := io.ReadAll(bufio.NewReader(c))
	if strings.HasPrefix(string(text), "HTTP/") {
		t.Errorf("it answered %q", text)
	}
	if e, ok := err.(net.Error); ok && e.Timeout() {
		t.Error("the connection stays open")
	}
	if code, said := post(t, p.addresses(t).HttpAddress, "/v2/models/a/ready", "", func(r *http.Request) { r.Method = http.MethodGet }); code != 200 {
		t.Errorf("the model was unloaded: %d %s", code, said)
	}
}
