package desktop

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// bare is the window's writer: it only writes.
type bare struct{ http.ResponseWriter }

func answer(h http.Handler, path string) *httptest.ResponseRecorder {
	recorder := httptest.NewRecorder()
	h.ServeHTTP(bare{recorder}, httptest.NewRequest(http.MethodPost, path, strings.NewReader("body")))
	recorder.WriteHeader(http.StatusNotImplemented) // as the window does when nothing was written
	return recorder
}

func TestMount(t *testing.T) {
	api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/panic" {
			panic("a mistake")
		}
		if r.URL.Path == "/empty" {
			return
		}
		_, _ = io.WriteString(w, "api "+r.URL.Path)
		w.(http.Flusher).Flush()
	})
	files := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "file "+r.URL.Path) })
	h := mount(api, newDropped(), slog.New(slog.DiscardHandler))(files)
	if got := answer(h, "/api/conch.v1/X").Body.String(); got != "api /conch.v1/X" {
		t.Errorf("the API answers %q", got)
	}
	if got := answer(h, "/api/empty").Code; got != http.StatusOK {
		t.Errorf("an empty answer is %d", got)
	}
	if got := answer(h, "/index.html").Body.String(); got != "file /index.html" {
		t.Errorf("files answer %q", got)
	}
	if got := answer(h, "/api/panic").Code; got != http.StatusInternalServerError {
		t.Errorf("a panic answers %d", got)
	}
}

func TestLate(t *testing.T) {
	l := newLate()
	done := make(chan string)
	go func() { done <- answer(l, "/").Body.String() }()
	l.set(failed(errors.New("no disk")))
	l.set(http.NotFoundHandler())
	if got := <-done; got != "no disk\n" {
		t.Errorf("answered %q", got)
	}
}

func TestPlace(t *testing.T) {
	p := place{X: 1, Y: 2, Width: 1300, Height: 900, Maximised: true}
	if got, ok := readPlace(p.String()); !ok || got != p {
		t.Errorf("read back %+v, %v", got, ok)
	}
	for _, text := range []string{"", "null", "{", `{"Width": 10, "Height": 10}`} {
		if got, ok := readPlace(text); ok {
			t.Errorf("%q reads as %+v", text, got)
		}
	}
}

// TestZoomRange: a page cannot make itself too small or too large to be used.
func TestZoomRange(t *testing.T) {
	for percent, want := range map[int]bool{79: false, 80: true, 100: true, 200: true, 201: false, -1: false} {
		if got := checkZoom(percent) == nil; got != want {
			t.Errorf("%d %%: %v, want %v", percent, got, want)
		}
	}
}
