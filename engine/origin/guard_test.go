package origin_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"conch/engine/origin"
)

// sent is a request and whether it is let in.
type sent struct {
	name   string
	host   string
	header map[string]string
	in     bool
}

func (s sent) try(t *testing.T, g *origin.Guard) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/v2", nil)
	r.Host = s.host
	for key, value := range s.header {
		r.Header.Set(key, value)
	}
	w, reached := httptest.NewRecorder(), false
	g.Wrap(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true })).ServeHTTP(w, r)
	if reached != s.in || !reached && w.Code != http.StatusForbidden {
		t.Errorf("reached %v, status %d: %s", reached, w.Code, w.Body)
	}
	return w
}

func guard(t *testing.T, address string, allow ...string) *origin.Guard {
	t.Helper()
	g, err := origin.NewGuard(&net.TCPAddr{IP: net.ParseIP(address), Port: 8000}, allow)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestGuardOnLoopback(t *testing.T) {
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	short, _, _ := strings.Cut(name, ".")
	for _, s := range []sent{
		{name: "address", host: "127.0.0.1:8000", in: true},
		{name: "address without port", host: "127.0.0.1", in: true},
		{name: "address of another", host: "192.0.2.7:8000", in: true},
		{name: "IPv6", host: "[::1]:8000", in: true},
		{name: "IPv6 with a zone", host: "[fe80::1%eth0]:8000", in: true},
		{name: "localhost", host: "LocalHost:8000", in: true},
		{name: "localhost with its dot", host: "localhost.", in: true},
		{name: "below localhost", host: "triton.localhost:8000", in: true},
		{name: "machine", host: name + ":8000", in: true},
		{name: "machine, short", host: short + ":8000", in: true},
		{name: "none", host: "", in: true},
		{name: "none, but from a page", host: "", header: map[string]string{"Origin": "http://evil.example"}},
		{name: "none, from a page that says it is ours", host: "", header: map[string]string{"Origin": "http://", "Sec-Fetch-Site": "cross-site"}},
		{name: "none, as a picture of a page", host: "", header: map[string]string{"Sec-Fetch-Site": "cross-site"}},
		{name: "rebound name", host: "evil.example:8000"},
		{name: "rebound name without port", host: "evil.example"},
		{name: "name that begins right", host: "localhost.evil.example:8000"},
		{name: "name that ends right", host: "evillocalhost:8000"},
		{name: "almost an address", host: "127.0.0.1.evil.example:8000"},
		{name: "rebound name, same origin", host: "evil.example:8000", header: map[string]string{"Origin": "http://evil.example:8000", "Sec-Fetch-Site": "same-origin"}},
	} {
		t.Run(s.name, func(t *testing.T) { s.try(t, guard(t, "127.0.0.1")) })
	}
}

func TestGuardAgainstPages(t *testing.T) {
	for _, s := range []sent{
		{name: "no page", in: true},
		{name: "typed address", header: map[string]string{"Sec-Fetch-Site": "none"}, in: true},
		{name: "own page", header: map[string]string{"Origin": "http://models.example:8000", "Sec-Fetch-Site": "same-origin"}, in: true},
		{name: "own page behind TLS", header: map[string]string{"Origin": "https://models.example:8000"}, in: true},
		{name: "other site", header: map[string]string{"Origin": "http://evil.example"}},
		{name: "other port", header: map[string]string{"Origin": "http://models.example:3000"}},
		{name: "sandboxed page or file", header: map[string]string{"Origin": "null"}},
		{name: "image of another site", header: map[string]string{"Sec-Fetch-Site": "cross-site"}},
		{name: "page of the same machine", header: map[string]string{"Sec-Fetch-Site": "same-site"}},
		{name: "own by one header alone", header: map[string]string{"Origin": "http://models.example:8000", "Sec-Fetch-Site": "cross-site"}},
		{name: "extension", header: map[string]string{"Origin": "chrome-extension://models.example:8000"}},
	} {
		s.host = "models.example:8000"
		t.Run(s.name, func(t *testing.T) {
			s.try(t, guard(t, "0.0.0.0")) // any name is this server's there
			s.host = "127.0.0.1:8000"
			for key, value := range s.header {
				s.header[key] = strings.ReplaceAll(value, "models.example:8000", s.host)
			}
			s.try(t, guard(t, "127.0.0.1"))
		})
	}
}

func TestGuardAllows(t *testing.T) {
	foreign := map[string]string{"Origin": "https://dash.example:3000", "Sec-Fetch-Site": "cross-site"}
	for _, allow := range []string{"https://Dash.example:3000/", "*"} {
		w := sent{host: "localhost", header: foreign, in: true}.try(t, guard(t, "::1", allow))
		if h := w.Header(); h.Get("Access-Control-Allow-Origin") != foreign["Origin"] || h.Get("Vary") != "Origin" {
			t.Errorf("%s: headers are %v", allow, h)
		}
	}
	sent{host: "localhost", header: foreign}.try(t, guard(t, "::1", "https://dash.example"))
	sent{host: "evil.example", header: foreign}.try(t, guard(t, "::1", "*")) // pages are let in, rebinding is not
	r := httptest.NewRequest(http.MethodOptions, "/v2/models/m/infer", nil)
	r.Host = "localhost:8000"
	r.Header.Set("Origin", "https://dash.example")
	r.Header.Set("Access-Control-Request-Method", "POST")
	r.Header.Set("Access-Control-Request-Headers", "content-type,inference-header-content-length")
	w := httptest.NewRecorder()
	guard(t, "127.0.0.1", "https://dash.example").Wrap(http.NotFoundHandler()).ServeHTTP(w, r)
	if h := w.Header(); w.Code != http.StatusNoContent || h.Get("Access-Control-Allow-Headers") != r.Header.Get("Access-Control-Request-Headers") || h.Get("Access-Control-Allow-Methods") != "GET, POST" {
		t.Errorf("preflight: %d %v", w.Code, h)
	}
}

func TestAllowedOriginsAreOrigins(t *testing.T) {
	for _, text := range []string{"", "dash.example", "https://", "https://dash.example/page", "https://dash.example?x", "https://me@dash.example"} {
		if _, err := origin.NewGuard(&net.TCPAddr{}, []string{text}); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}
