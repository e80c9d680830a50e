package httpapi_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"testing"

	"conch/engine/kserve/httpapi/shortcut"
)

// running is an http.Server, or the one in front of it.
type running interface {
	Serve(l net.Listener) error
	Close() error
	Shutdown(ctx context.Context) error
}

// onBothRoads runs a test with net/http alone, and with the server that takes plain requests off it. serve returns the address.
func onBothRoads(t *testing.T, test func(t *testing.T, serve func(*http.Server) string)) {
	for name, over := range map[string]func(*http.Server) running{
		"net/http": func(s *http.Server) running { return s },
		"shortcut": func(s *http.Server) running { return shortcut.Over(s, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			test(t, func(s *http.Server) string { return listen(t, over(s)) })
		})
	}
}

// listen serves until the test ends.
func listen(t *testing.T, s running) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	t.Cleanup(func() {
		_ = s.Close()
		if err := <-done; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	return l.Addr().String()
}
