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
	"strconv"
	"strings"
	"syscall"

	"conch/build/golden/exchange"
)

// overHTTP sends a request over a connection of its own, as bytes, so that a case can send what no library would. The
// request has its method and path in the first line, then its headers, an empty line, and the body. Host and
// Content-Length are added; a case that writes "Host: -" or "Content-Length: -" sends none. A first line that ends in
// HTTP/1.0 is sent as it is. A server of one case alone may not have started, or may be ending; that others are not there is an error.
func overHTTP(ctx context.Context, address, request string, alone bool) (string, error) {
	method, wire, err := onTheWire(address, request)
	if err != nil {
		return "", err
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if alone && errors.Is(err, syscall.ECONNREFUSED) {
		return noAnswer, nil
	}
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
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || alone && errors.Is(err, syscall.ECONNRESET) {
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
	return exchange.Reply(reply.StatusCode, reply.Header, body), nil
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
	r, err := exchange.Parse(request)
	if err != nil {
		return "", nil, err
	}
	path := r.Target
	if !strings.HasSuffix(path, " HTTP/1.0") {
		path += " HTTP/1.1"
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "%s %s\r\n", r.Method, path)
	added := map[string]string{"host": address, "content-length": strconv.Itoa(len(r.Body)), "connection": "close"}
	for _, line := range r.Headers {
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		delete(added, strings.ToLower(name))
		if strings.TrimSpace(value) != "-" {
			out.WriteString(line + "\r\n")
		}
	}
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		delete(added, "content-length")
	}
	for _, name := range []string{"Host", "Content-Length", "Connection"} {
		if value, ok := added[strings.ToLower(name)]; ok {
			fmt.Fprintf(&out, "%s: %s\r\n", name, value)
		}
	}
	out.WriteString("\r\n")
	out.Write(r.Body)
	return r.Method, out.Bytes(), nil
}
