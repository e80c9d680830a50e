// Package exchange reads and writes HTTP requests and replies as golden cases hold them: a first line, headers, an empty
// line, and the body, in which bytes that are not printable are written \xNN.
package exchange

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// Request is a request of a case.
type Request struct {
	Method, Target string
	Headers        []string // lines, as they are written
	Body           []byte
}

// Parse reads a request, whose first line is METHOD TARGET.
func Parse(text string) (Request, error) {
	first, headers, body := Head(strings.TrimSuffix(text, "\n"))
	method, target, ok := strings.Cut(first, " ")
	if !ok {
		return Request{}, fmt.Errorf("the line %q is not METHOD PATH", first)
	}
	return Request{Method: method, Target: target, Headers: headers, Body: Unescape(body)}, nil
}

// Head splits what comes before the empty line into its lines. The body is as it is written.
func Head(text string) (first string, lines []string, body string) {
	top, body, _ := strings.Cut(text, "\n\n")
	lines = strings.Split(strings.TrimSuffix(top, "\n"), "\n")
	return lines[0], lines[1:], body
}

// shown are the headers of a reply that cases compare.
var shown = []string{"Content-Type", "Content-Encoding", "Accept-Encoding", "Inference-Header-Content-Length", "Endpoint-Load-Metrics"}

// Reply writes a reply: its status, the headers that cases compare, and the body.
func Reply(status int, header http.Header, body []byte) string {
	out := strconv.Itoa(status)
	for _, name := range shown {
		if value := header.Get(name); value != "" {
			out += "\n" + name + ": " + value
		}
	}
	return out + "\n\n" + Escape(body) + "\n"
}

var escaped = regexp.MustCompile(`\\x[0-9a-f]{2}`)

// Unescape gives the bytes of a body.
func Unescape(text string) []byte {
	text = strings.TrimSuffix(text, "\n")
	return []byte(escaped.ReplaceAllStringFunc(text, func(e string) string {
		n, _ := strconv.ParseUint(e[2:], 16, 8)
		return string([]byte{byte(n)})
	}))
}

// Escape writes a body.
func Escape(body []byte) string {
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
