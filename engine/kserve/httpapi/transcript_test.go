package httpapi_test

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"conch/build/golden"
	"conch/build/golden/exchange"
	"conch/engine/kserve"
	"conch/engine/kserve/httpapi"
	"conch/engine/kserve/kservetest"
	"conch/engine/kserve/logging"
	"conch/engine/kserve/tracing"
)

// TestTranscripts sends the request of each case in testdata/http to the identity models and compares the whole
// reply (build/golden/exchange). The replies of the transport itself are those of Triton
// 2.51.0. There are no replies of an engine here.
func TestTranscripts(t *testing.T) {
	handler := httpapi.New(kservetest.Identity(), httpapi.Options{
		MaxInput: 4096, Options: kserve.Options{ForwardHeaders: regexp.MustCompile(`(?i)x-fwd`)},
	})
	golden.Each(t, "../testdata/http", func(t *testing.T, c *golden.Case) {
		c.Want(play(t, handler, c.Text(t, "request")))
	})
}

// TestSettings does the same with testdata/settings, each case on a server of its own. All replies are those of Triton
// 24.10.
func TestSettings(t *testing.T) {
	restricted, err := kserve.ParseRestrictions("--http-restricted-api", "", []string{"health:adminkey=secret"})
	if err != nil {
		t.Fatal(err)
	}
	setting := tracing.Defaults
	setting.File = "trace.json"
	golden.Each(t, "../testdata/settings", func(t *testing.T, c *golden.Case) {
		log := logging.New(io.Discard, logging.Setting{Info: true, Warning: true, Error: true, Format: logging.Default})
		handler := httpapi.New(kservetest.Identity(), httpapi.Options{Options: kserve.Options{
			Restricted: restricted, Log: log, Tracer: tracing.New(setting, slog.New(log.Handler()), func(string) bool { return true }),
		}})
		c.Want(play(t, handler, c.Text(t, "request")))
	})
}

// play sends a request of a case, and returns the reply as a case writes it.
func play(t *testing.T, handler http.Handler, text string) string {
	t.Helper()
	sent, err := exchange.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(sent.Method, sent.Target, bytes.NewReader(sent.Body))
	for _, line := range sent.Headers {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return exchange.Reply(w.Code, w.Header(), w.Body.Bytes())
}
