package shortcut

import (
	"net/http"
	"net/textproto"
	"net/url"
	"strconv"
	"strings"
)

const (
	// longestHead is the largest head that is served here. Clients send a few hundred bytes.
	longestHead = 2 << 10
	// longestBody is the largest body that is served here. With a larger one, the way that a request takes costs little
	// beside its bytes.
	longestBody = 128 << 10
	// mostHeaders is how many lines a head may have.
	mostHeaders = 32
)

// parse reads a head, which ends with an empty line. It returns nil for a head that is not plain, even when it is a valid one.
func parse(text string) *http.Request {
	line, rest, _ := strings.Cut(text, "\r\n")
	method, target, ok := requestLine(line)
	if !ok {
		return nil
	}
	at, err := url.ParseRequestURI(target)
	if err != nil {
		return nil
	}
	r := &http.Request{
		Method: method, URL: at, RequestURI: target, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: make(http.Header), Body: http.NoBody, ContentLength: -1,
	}
	for range mostHeaders {
		if line, rest, ok = strings.Cut(rest, "\r\n"); !ok {
			return nil
		}
		if line == "" {
			return complete(r, rest)
		}
		if !readHeader(r, line) {
			return nil
		}
	}
	return nil
}

// complete decides about a request whose head was read. rest is what follows the empty line.
func complete(r *http.Request, rest string) *http.Request {
	switch {
	case rest != "", r.Host == "":
		return nil
	case r.Method == http.MethodGet && r.ContentLength < 0:
		r.ContentLength = 0
		return r
	case r.Method == http.MethodPost && r.ContentLength >= 0:
		return r
	}
	return nil
}

// requestLine reads "POST /v2/models/m/infer HTTP/1.1". ok is false for other routes than those that are served here.
func requestLine(line string) (method, target string, ok bool) {
	method, rest, _ := strings.Cut(line, " ")
	target, ok = strings.CutSuffix(rest, " HTTP/1.1")
	if !ok || !all(target, usualInPath) {
		return "", "", false
	}
	model := strings.HasPrefix(target, "/v2/models/")
	switch method {
	case http.MethodPost:
		return method, target, model && strings.HasSuffix(target, "/infer")
	case http.MethodGet:
		return method, target, (model || strings.HasPrefix(target, "/v2/health/")) && !strings.HasSuffix(target, "/openapi.json")
	}
	return "", "", false
}

// readHeader reads a line of the head into the request.
func readHeader(r *http.Request, line string) bool {
	name, value, ok := strings.Cut(line, ": ")
	if !ok || name == "" || value == "" || !all(name, usualInName) || !all(value, printable) || value[0] == ' ' || value[len(value)-1] == ' ' {
		return false
	}
	name = textproto.CanonicalMIMEHeaderKey(name)
	switch name {
	case "Host":
		if r.Host != "" || !all(value, usualInHost) {
			return false
		}
		r.Host = value
		return true // as in net/http, it is no header of the request
	case "Content-Length":
		return readLength(r, value)
	}
	if special(name, value) {
		return false
	}
	r.Header[name] = append(r.Header[name], value)
	return true
}

func readLength(r *http.Request, text string) bool {
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil || r.ContentLength >= 0 || n > longestBody || strconv.FormatUint(n, 10) != text {
		return false
	}
	r.ContentLength = int64(n)
	r.Header["Content-Length"] = []string{text}
	return true
}

// special reports whether a header changes how a connection or a body is read, or is one that only browsers send.
func special(name, value string) bool {
	switch name {
	case "Connection":
		return !strings.EqualFold(value, "keep-alive")
	case "Transfer-Encoding", "Trailer", "Te", "Upgrade", "Expect", "Pragma", "Origin", "Proxy-Connection", "Http2-Settings":
		return true
	}
	return strings.HasPrefix(name, "Sec-") || strings.HasPrefix(name, "Access-Control-")
}

// set is a set of ASCII characters.
type set [128]bool

var (
	usualInPath = setOf("/-._~")
	usualInName = setOf("-_")
	usualInHost = setOf(".-:[]")
	printable   = func() (s set) {
		for c := ' '; c <= '~'; c++ {
			s[c] = true
		}
		return s
	}()
)

// setOf returns letters, digits and others.
func setOf(others string) (s set) {
	for _, c := range "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789" + others {
		s[c] = true
	}
	return s
}

// all reports whether a text has characters of a set only.
func all(text string, of set) bool {
	for i := range len(text) {
		if text[i] >= 128 || !of[text[i]] {
			return false
		}
	}
	return true
}
