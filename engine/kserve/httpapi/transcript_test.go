package httpapi_test

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"conch/build/golden"
	"conch/engine/kserve"
	"conch/engine/kserve/httpapi"
	"conch/engine/kserve/kservetest"
	"conch/engine/kserve/logging"
	"conch/engine/kserve/tracing"
)

// TestTranscripts sends the request of each case in testdata/http to the identity models and compares the whole
// reply. Bytes that are not printable are written \xNN. The replies of the transport itself are those of Triton
// 2.51.0. There are no replies of an engine here.
func TestTranscripts(t *testing.T) {
	handler := httpapi.New(kservetest.Identity(), httpapi.Options{
		MaxInput: 4096, Options: kserve.Options{ForwardHeaders: regexp.MustCompile(`(?i)x-fwd`)},
	})
	golden.Each(t, "../testdata/http", func(t *testing.T, c *golden.Case) {
		c.Want(exchange(t, handler, c.Text(t, "request")))
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
		c.Want(exchange(t, handler, c.Text(t, "request")))
	})
}

// exchange reads a request's first line, headers and body, and returns the reply in the same form.
func exchange(t *testing.T, handler http.Handler, text string) string {
	head, body, _ := strings.Cut(strings.TrimSuffix(text, "\n"), "\n\n")
	lines := strings.Split(head, "\n")
	method, target, ok := strings.Cut(lines[0], " ")
	if !ok {
		t.Fatalf("request line %q is not METHOD PATH", lines[0])
	}
	r := httptest.NewRequest(method, target, bytes.NewReader(unescape(body)))
	for _, line := range lines[1:] {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	out := strconv.Itoa(w.Code)
	for _, name := range []string{"Content-Type", "Content-Encoding", "Accept-Encoding", "Inference-Header-Content-Length"} {
		if value := w.Header().Get(name); value != "" {
			out += "\n" + name + ": " + value
		}
	}
	return out + "\n\n" + escape(w.Body.Bytes()) + "\n"
}

var escaped = regexp.MustCompile(`\\x[0-9a-f]{2}`)

func unescape(text string) []byte {
	text = strings.TrimSuffix(text, "\n")
	return []byte(escaped.ReplaceAllStringFunc(text, func(e string) string {
		n, _ := strconv.ParseUint(e[2:], 16, 8)
		return string([]byte{byte(n)})
	}))
}

func escape(body []byte) string {
	var out strings.Builder
	for _, c := range body {
		if c < 0x20 || c > 0x7e {
			fmt.Fprintf(&out, `\x%02x`, c)
			continue
		}
		out.WriteByte(c)
	}
	return out.String()
}
