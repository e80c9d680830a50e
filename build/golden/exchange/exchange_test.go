package exchange_test

import (
	"net/http"
	"slices"
	"testing"

	"conch/build/golden/exchange"
)

func TestParse(t *testing.T) {
	r, err := exchange.Parse("POST /v2/x?a=b c\nA: 1\nHost: -\n\n{}\\x00\\x0a\n\nmore\\xff\n")
	if err != nil {
		t.Fatal(err)
	}
	if r.Method != "POST" || r.Target != "/v2/x?a=b c" || !slices.Equal(r.Headers, []string{"A: 1", "Host: -"}) || string(r.Body) != "{}\x00\n\n\nmore\xff" {
		t.Errorf("%+v", r)
	}
	if r, err = exchange.Parse("GET /v2\n"); err != nil || r.Target != "/v2" || len(r.Headers) != 0 || len(r.Body) != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err = exchange.Parse("GET\n"); err == nil {
		t.Error("a line without a path was taken")
	}
}

func TestReply(t *testing.T) {
	header := http.Header{"Content-Type": {"text/plain"}, "Date": {"today"}, "Inference-Header-Content-Length": {"3"}}
	const want = "200\nContent-Type: text/plain\nInference-Header-Content-Length: 3\n\na~ \\x7f\\x00\n"
	if got := exchange.Reply(http.StatusOK, header, []byte("a~ \x7f\x00")); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// All bytes come back.
func TestEscape(t *testing.T) {
	var all []byte
	for c := range 256 {
		all = append(all, byte(c))
	}
	if got := exchange.Unescape(exchange.Escape(all) + "\n"); !slices.Equal(got, all) {
		t.Errorf("%q", got)
	}
}
