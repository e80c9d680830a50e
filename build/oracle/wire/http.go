package wire

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// shown are the headers of a reply that a case compares.
var shown = []string{"Content-Type", "Content-Encoding", "Accept-Encoding", "Inference-Header-Content-Length", "Endpoint-Load-Metrics"}

// overHTTP sends a request over a connection of its own, as bytes, so that a case can send what no library would. The
// request has its method and path in the first line, then its headers, an empty line, and the body. Host and
// Content-Length are added; a case that writes "Host: -" or "Content-Length: -" sends none. A first line that ends in
// HTTP/1.0 is sent as it is.
func overHTTP(ctx context.Context, address, request string) (string, error) {
	method, wire, err := onTheWire(address, request)
	if err != nil {
		return "", err
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		return "", fmt.Errorf("connect: %w", err)
	}
	defer func() { _ = conn.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	if _, err := conn.Write(wire); err != nil {
		return "", fmt.Errorf("send the request: %w", err)
	}
	reply, err := final(bufio.NewReader(conn), method)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return noAnswer, nil
	}
	if err != nil {
		return "", fmt.Errorf("read the answer: %w", err)
	}
	defer func() { _ = reply.Body.Close() }()
	body, err := content(reply)
	if err != nil {
		return "", fmt.Errorf("read the body of the answer: %w", err)
	}
	return inText(reply, body), nil
}

// final reads the reply behind those that only say that one will come.
func final(from *bufio.Reader, method string) (*http.Response, error) {
	for {
		reply, err := http.ReadResponse(from, &http.Request{Method: method})
		if err != nil || reply.StatusCode >= http.StatusOK {
			return reply, err
		}
	}
}

// content is a reply's body, inflated: which bytes a compressor makes is its own affair.
func content(reply *http.Response) ([]byte, error) {
	var from io.Reader = reply.Body
	var err error
	switch reply.Header.Get("Content-Encoding") {
	case "gzip":
		from, err = gzip.NewReader(reply.Body)
	case "deflate":
		from, err = zlib.NewReader(reply.Body)
	}
	if err != nil {
		return nil, err
	}
	return io.ReadAll(from)
}

// onTheWire gives the bytes of a request.
func onTheWire(address, request string) (method string, wire []byte, err error) {
	head, body, _ := strings.Cut(strings.TrimSuffix(request, "\n"), "\n\n")
	lines := strings.Split(head, "\n")
	method, path, ok := strings.Cut(lines[0], " ")
	if !ok {
		return "", nil, fmt.Errorf("the line %q is not METHOD PATH", lines[0])
	}
	if !strings.HasSuffix(path, " HTTP/1.0") {
		path += " HTTP/1.1"
	}
	content := Unescape(body)
	var out bytes.Buffer
	fmt.Fprintf(&out, "%s %s\r\n", method, path)
	added := map[string]string{"host": address, "content-length": strconv.Itoa(len(content)), "connection": "close"}
	for _, line := range lines[1:] {
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		delete(added, strings.ToLower(name))
		if strings.TrimSpace(value) != "-" {
			out.WriteString(line + "\r\n")
		}
	}
	if method == http.MethodGet || method == http.MethodHead {
		delete(added, "content-length")
	}
	for _, name := range []string{"Host", "Content-Length", "Connection"} {
		if value, ok := added[strings.ToLower(name)]; ok {
			fmt.Fprintf(&out, "%s: %s\r\n", name, value)
		}
	}
	out.WriteString("\r\n")
	out.Write(content)
	return method, out.Bytes(), nil
}

// inText is a reply as a case writes it.
func inText(reply *http.Response, body []byte) string {
	out := strconv.Itoa(reply.StatusCode)
	for _, name := range shown {
		if value := reply.Header.Get(name); value != "" {
			out += "\n" + name + ": " + value
		}
	}
	return out + "\n\n" + Escape(body) + "\n"
}

var escaped = regexp.MustCompile(`\\x[0-9a-f]{2}`)

// Unescape gives the bytes of a body whose bytes that are not printable are written \xNN.
func Unescape(text string) []byte {
	text = strings.TrimSuffix(text, "\n")
	return []byte(escaped.ReplaceAllStringFunc(text, func(e string) string {
		n, _ := strconv.ParseUint(e[2:], 16, 8)
		return string([]byte{byte(n)})
	}))
}

// Escape writes a body in this form.
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
