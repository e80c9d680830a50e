package httpapi_test

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"conch/engine/kserve"
	"conch/engine/kserve/httpapi"
	"conch/engine/kserve/kservetest"
	"conch/engine/kserve/logging"
	"conch/engine/kserve/tracing"
)

var update = flag.Bool("update", false, "write the replies into the transcripts")

const separator = "\n-- reply --\n"

// TestTranscripts sends the request of each file in testdata/http to the identity models and compares the
// whole reply. Bytes that are not printable are written \xNN. A new case is a new file; -update fills in the reply.
// What the transport itself says was seen on Triton 2.51.0; what an engine would say is missing here.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("../testdata/http/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	handler := httpapi.New(kservetest.Identity(), httpapi.Options{
		MaxInput: 4096, Options: kserve.Options{ForwardHeaders: regexp.MustCompile(`(?i)x-fwd`)},
	})
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) { replay(t, handler, file) })
	}
	if *update {
		t.Fatal("transcripts were written; run again without -update")
	}
}

// TestSettings does the same with testdata/settings, each file on a server of its own. All replies are those of Triton
// 24.10.
func TestSettings(t *testing.T) {
	files, err := filepath.Glob("../testdata/settings/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	restricted, err := kserve.ParseRestrictions("--http-restricted-api", "", []string{"health:adminkey=secret"})
	if err != nil {
		t.Fatal(err)
	}
	setting := tracing.Defaults
	setting.File = "trace.json"
	for _, file := range files {
		log := logging.New(io.Discard, logging.Setting{Info: true, Warning: true, Error: true, Format: logging.Default})
		handler := httpapi.New(kservetest.Identity(), httpapi.Options{Options: kserve.Options{
			Restricted: restricted, Log: log, Tracer: tracing.New(setting, slog.New(log.Handler())),
		}})
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) { replay(t, handler, file) })
	}
	if *update {
		t.Fatal("transcripts were written; run again without -update")
	}
}

func replay(t *testing.T, handler http.Handler, file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	request, want, _ := strings.Cut(string(text), separator)
	got := exchange(t, handler, request)
	if *update {
		if err := os.WriteFile(file, []byte(request+separator+got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got != want {
		t.Errorf("reply:\n%s\nwant:\n%s", got, want)
	}
}

// exchange reads a request's first line, headers and body, and tells the reply in the same form.
func exchange(t *testing.T, handler http.Handler, text string) string {
	head, body, _ := strings.Cut(text, "\n\n")
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
