package framing_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"conch/engine/framing"
)

const (
	old     = "POST /first HTTP/1.0\r\nConnection: keep-alive\r\n"
	chunks  = "Transfer-Encoding: chunked\r\n"
	hidden  = "GET /hidden HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
	newer   = "POST /newer HTTP/1.1\r\nHost: localhost\r\n"
	chunked = "3\r\nabc\r\n0\r\n\r\n"
)

// sent is what a client sends, in pieces, and which paths the handler is called with.
type sent struct {
	name    string
	pieces  []string
	calls   string
	refused int
	reason  string // a part of it
}

func TestChunksOfHTTP10AreRefused(t *testing.T) {
	each := func(text string) []string { return strings.Split(text, "") }
	for _, s := range []sent{
		{name: "a request in the place of chunks", pieces: []string{old + chunks + "\r\n" + hidden}, refused: 1, reason: "cannot have Transfer-Encoding"},
		{name: "chunks", pieces: []string{old + chunks + "\r\n" + chunked + hidden}, refused: 1},
		{name: "a length too", pieces: []string{old + "Content-Length: 3\r\n" + chunks + "\r\nabc" + hidden}, refused: 1},
		{name: "byte by byte", pieces: each(old + chunks + "\r\n" + hidden), refused: 1},
		{name: "other letters", pieces: []string{old + "tRANSFER-eNCODING:chunked\r\n\r\n" + hidden}, refused: 1},
		{name: "bare line feeds", pieces: []string{strings.ReplaceAll(old+chunks, "\r", "") + "\n" + hidden}, refused: 1},
		{name: "far behind", pieces: []string{old + strings.Repeat("A: "+strings.Repeat("a", 999)+"\r\n", 30) + chunks + "\r\n" + hidden}, refused: 1},
		{name: "behind another request", pieces: []string{newer + chunks + "\r\n" + chunked + old + chunks + "\r\n" + hidden}, calls: "/newer 3, ", refused: 1, reason: "cannot follow one with Transfer-Encoding"},
		{name: "plain behind chunks", pieces: []string{newer + chunks + "\r\n" + chunked + old + "\r\n" + hidden}, calls: "/newer 3, ", refused: 1, reason: "cannot follow one with Transfer-Encoding"},
		{name: "HTTP/1.1", pieces: []string{newer + chunks + "\r\n" + chunked + hidden}, calls: "/newer 3, /hidden 0, "},
		{name: "a length alone", pieces: []string{old + "Content-Length: 3\r\n\r\nabc", hidden}, calls: "/first 3, /hidden 0, "},
		{name: "a value", pieces: []string{old + "A: transfer-encoding: chunked\r\nTransfer-Encodings: chunked\r\n\r\n" + hidden}, calls: "/first 0, /hidden 0, "},
		{name: "a large body", pieces: []string{old + "Content-Length: 20028\r\n\r\n" + strings.Repeat("a", 9999) + "\n" + chunks + strings.Repeat("a", 10000), hidden}, calls: "/first 20028, /hidden 0, "},
	} {
		t.Run(s.name, func(t *testing.T) { s.play(t, framing.Listener) })
	}
}

// A connection that is not watched is closed behind a request of HTTP/1.0.
func TestOthersAreClosed(t *testing.T) {
	as := func(l net.Listener) net.Listener { return l }
	sent{pieces: []string{old + chunks + "\r\n" + hidden}, calls: "/first 0, "}.play(t, as)
	sent{pieces: []string{newer + chunks + "\r\n" + chunked + hidden}, calls: "/newer 3, /hidden 0, "}.play(t, as)
}

func (s sent) play(t *testing.T, over func(net.Listener) net.Listener) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var calls strings.Builder
	refused := 0
	server := &http.Server{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		n, _ := io.ReadFull(r.Body, make([]byte, max(r.ContentLength, 100)))
		fmt.Fprintf(&calls, "%s %d, ", r.URL.Path, n)
	})}
	framing.Guard(server, func(_ *http.Request, _ int, reason string) {
		if refused++; !strings.Contains(reason, s.reason) {
			t.Errorf("refused because: %s", reason)
		}
	})
	done := make(chan error, 1)
	go func() { done <- server.Serve(over(l)) }()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, piece := range s.pieces {
		_, _ = io.WriteString(c, piece) // the server may have left
	}
	answers, _ := io.ReadAll(c) // until the server closes the connection
	_ = server.Close()
	<-done
	if calls.String() != s.calls || refused != s.refused {
		t.Errorf("the handler is called with %q, %d are refused; the answers are\n%s", calls.String(), refused, answers)
	}
	if text := string(answers); s.refused > 0 && !(strings.Contains(text, " 400 Bad Request\r\n") && strings.Contains(text, "\r\nConnection: close\r\n")) {
		t.Errorf("the answers are\n%s", text)
	}
}
