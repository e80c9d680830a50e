package web_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"conch/app/web"
)

// A page is sent compressed to those who take that, and the others get the same bytes plain.
func TestFilesAreCompressed(t *testing.T) {
	script := strings.Repeat("export const shape = [1, 64];\n", 1000)
	server := serve(t, web.Options{API: http.NotFoundHandler(), Files: fstest.MapFS{
		"index.html":         {Data: []byte("<!doctype html>")},
		"assets/index.js":    {Data: []byte(script)},
		"assets/font.woff2":  {Data: bytes.Repeat([]byte("f"), 9000)},
		"assets/small.css":   {Data: []byte("a{}")},
		"assets/picture.svg": {Data: []byte(strings.Repeat("<path/>", 1000))},
	}})
	for _, c := range []struct {
		file, accept string
		packed       bool
	}{
		{"assets/index.js", "gzip, deflate, br", true},
		{"assets/index.js", "br;q=1.0, gzip;q=0.8", true},
		{"assets/index.js", "gzip;q=0", false},
		{"assets/index.js", "gzip;q=0.0, br", false},
		{"assets/index.js", "identity", false},
		{"assets/picture.svg", "gzip", true},
		{"assets/font.woff2", "gzip", false},
		{"assets/small.css", "gzip", false},
	} {
		t.Run(c.file+" "+c.accept, func(t *testing.T) {
			plain, _ := fetch(t, server, c.file, "identity")
			body, header := fetch(t, server, c.file, c.accept)
			if got := header.Get("Content-Encoding") == "gzip"; got != c.packed {
				t.Fatalf("compressed: %v, want %v", got, c.packed)
			}
			if header.Get("Content-Length") != strconv.Itoa(len(body)) {
				t.Errorf("Content-Length %s, body of %d bytes", header.Get("Content-Length"), len(body))
			}
			if !c.packed {
				return
			}
			if len(body) > len(plain)/3 {
				t.Errorf("%d bytes were compressed to %d only", len(plain), len(body))
			}
			r, err := gzip.NewReader(bytes.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			if text, err := io.ReadAll(r); err != nil || !bytes.Equal(text, plain) {
				t.Errorf("the compressed file is another one (%v)", err)
			}
		})
	}
}

func fetch(t *testing.T, server *web.Server, file, accept string) ([]byte, http.Header) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+server.Listens()+"/"+file, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept-Encoding", accept) // set by hand, so that the client leaves the body as it is
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", file, response.Status, err)
	}
	return body, response.Header
}
